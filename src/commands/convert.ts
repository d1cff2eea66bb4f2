/** `pdi convert` writes what pdi wrote in another format. It makes no call. */

import { type Command, command, stops } from '../cli/command.ts';
import { dayAt, withRecordOptions } from '../cli/options.ts';
import type { OperationName, OperationWords } from '../contract/operations.ts';
import { UsageError } from '../errors.ts';
import { nearestFirst } from '../rows/nearest.ts';

const description = `Write the records of a json, ndjson, csv or xlsx file of pdi in another format, with --fields, --explode, --where and --query. Gzip is unpacked. No call is made, and no key is needed.

The columns of csv, xlsx, parquet and table are those of the command that the records came from, which is told by their fields, or by --from. Records that no command explains have their own fields, as do those of --fields with dotted names and of a joined csv. A row without a record keeps its pdi_status and pdi_error.

The csv of a job is as the job would have written it, except that input is the id in the record (of resolve, the question as it was sent; of investors, empty), and that pdi_fetched_at and own columns of an input csv are not in its json.

A workbook is read as the csv of what it shows; it has no time zones, and its lists of objects are text. From csv to csv the delimiter and all cells stay as they are, but with --explode they are written anew; of two columns with one name, --fields calls the second NAME_2. From csv to json, pdi's columns get the types of the API's fields: an empty cell is null, or an empty list; a list is split at "; ", also within an item that holds it; an apostrophe is taken off where the formula guard would have put it, and so is the ="…" of --text-ids, but nothing in a workbook; a cell of another kind stays text. Own columns of a join are text as they stand, and its records are flat objects. Without own columns, records are nested as the API's, and leave out the input and status of a row that has a record.`;

export const convertCommand = (commands: OperationWords): Command =>
  command({
    words: 'convert',
    summary: 'json, ndjson, csv or xlsx of pdi in another format, without a call',
    brief: 'a file of pdi in another format',
    description,
    examples: [
      [
        'pdi convert people.ndjson --out people.xlsx',
        'a workbook of profiles that were bought before',
      ],
      ['pdi convert people.csv -o ndjson --fields person_id,full_name', 'two fields of a csv'],
      [
        'pdi convert people.ndjson --explode experience -o csv --out jobs.csv',
        'one row a position held',
      ],
      ['pdi feed -o json | pdi convert - -o csv --from feed', 'from a pipe, naming the command'],
    ],
    exits: ['not_found', ...stops],
    takes: (parser) =>
      withRecordOptions(
        parser.argument('<file>', 'file that pdi wrote, - for stdin').option(...from(commands)),
      ),
    run: async (choices, tools, path, form) => {
      const { runConvert } = await import('../convert/convert.ts');
      await runConvert(choices.show(), tools, { ...form, path, commands });
    },
  });

const from = (commands: OperationWords) =>
  [
    '--from <command>',
    'command that the records came from, such as person or "lists investors get"',
    (words: string) => operationOf(commands, words),
  ] as const;

const diffDescription = `Compare two files that pdi wrote, of one kind of record and in any of its formats: a row for each field of a record that changed, for each record that only NEW has (added), and for each that only OLD has (removed). No call is made, and no key is needed. Rows come in the order of OLD, the added ones last. Two files that are alike give no row, and exit 0; --fail-if-empty makes that 4.

Compared are the fields that both files have, own columns of a join among them, but not what moves without meaning: pdi's own columns, and last_updated, profile_picture_url, current_tenure and average_tenure. --fields names those to compare instead, also from within lists (experience.0.description). Lists are compared as sets of their items, lists of objects as the text that a workbook shows of them, numbers with all their digits (with those of a double where one file is xlsx or parquet), days and times in UTC and whole seconds. delta is NEW minus OLD, of numbers.

Records are told apart by their id. Of several with one id the first counts, with a notice. A row that is not_found or invalid is no record; one that is failed, unknown or skipped says nothing about its record, which is neither added nor removed. OLD is read twice, so it is a file; NEW may be - for stdin. Gzip is unpacked, of a workbook the first visible sheet is read.

--since DAY compares what the book keeps (keep-versions, \`pdi help money\`) of person, revenue or investors: the last answer to each question that was bought on DAY (UTC) or before, with the last of all. What was first bought after it, or of which so old an answer is no longer kept, is added.`;

export const diffCommand = (commands: OperationWords): Command =>
  command({
    words: 'diff',
    summary: 'what changed between two files of pdi, field by field, without a call',
    brief: 'what changed between two files',
    description: diffDescription,
    fields: ['id', 'name', 'change', 'field', 'old', 'new', 'delta'],
    examples: [
      ['pdi diff may.csv june.csv', 'what changed in a month'],
      [
        'pdi diff may.csv june.xlsx --fields current_position_title --out moves.xlsx',
        'who has another title',
      ],
      [
        'pdi revenue -i accounts.csv -o ndjson | pdi diff revenue-may.csv - -o csv',
        'whose revenue moved, from a pipe',
      ],
      ['pdi diff revenue --since 2026-06', 'what the book has since the first of June'],
    ],
    exits: ['not_found', ...stops],
    takes: (parser) =>
      parser
        .argument('<old>', 'file that pdi wrote before; with --since a command')
        .argument('[new]', 'file that pdi wrote later, - for stdin')
        .option(
          '--since <day>',
          'in place of NEW: compare answers in the book with those of a day',
          dayAt('first', parser),
        )
        .option(...from(commands)),
    run: async (choices, tools, old, fresh, { since, ...origin }) => {
      const { runDiff, runDiffSince } = await import('../convert/diff.ts');
      if (since !== undefined && fresh === undefined && origin.from === undefined)
        return runDiffSince(choices.show(), tools, operationOf(commands, old), since);
      if (since !== undefined || fresh === undefined)
        throw new UsageError('give two files, or a command and --since DAY alone');
      await runDiff(choices.show(), tools, [old, fresh], { ...origin, commands });
    },
  });

function operationOf(commands: OperationWords, words: string): OperationName {
  const wanted = words.trim().replace(/\s+/g, ' ');
  const isOperation = (name: string): name is OperationName => Object.hasOwn(commands, name);
  const names = Object.keys(commands).filter(isOperation);
  const found = names.find((name) => commands[name].words === wanted);
  if (found !== undefined) return found;
  const hint = `name one of: ${nearestFirst(
    wanted,
    names.map((name) => commands[name].words),
  )}`;
  throw new UsageError(`no command "${wanted}" reads records`, { hint });
}
