/** `pdi convert` writes what pdi wrote in another format. It makes no call. */

import { type Command, command, stops } from '../cli/command.ts';
import { withRecordOptions } from '../cli/options.ts';
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
        parser
          .argument('<file>', 'file that pdi wrote, - for stdin')
          .option(
            '--from <command>',
            'command that the records came from, such as person or "lists investors get"',
            (words) => operationOf(commands, words),
          ),
      ),
    run: async (choices, tools, path, form) => {
      const { runConvert } = await import('../convert/convert.ts');
      await runConvert(choices.show(), tools, { ...form, path, commands });
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
