/** `pdi api` reaches what the document names, but does not show. */
import { Argument, Option } from '@commander-js/extra-typings';
import { type Command, command } from '../cli/command.ts';
import {
  refuseWithoutFile,
  wantedPages,
  withInputOptions,
  withPageOptions,
} from '../cli/options.ts';
import type { OperationWords } from '../contract/operations.ts';
import { UsageError } from '../errors.ts';

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

function addParameter(text: string, before: readonly (readonly [string, string])[] = []) {
  const at = text.indexOf('=');
  if (at < 1) throw new UsageError(`expected NAME=VALUE, got ${JSON.stringify(text)}`);
  return [...before, [text.slice(0, at), text.slice(at + 1)] as const];
}

function methodNamed(text: string): (typeof methods)[number] {
  const found = methods.find((method) => method === text.toUpperCase());
  if (found !== undefined) return found;
  throw new UsageError(`METHOD ${text}: expected ${methods.join(', ')}`, { item: text });
}

const description = `Call any operation of the service by its METHOD and PATH, with the care of the other commands: pacing, retries, cap, budget, book, jobs, formats. PATH is below the base URL, such as /credits/balance.

{NAME} in PATH, in the value of -f and in --body is filled from the values behind PATH, or from the column or field NAME of each row of -i. With one {NAME} each value is a call; with several, the values fill one call, in their order. An id that is written into PATH, and the same one by {NAME}, are one question.

The price of a call is not documented, unless --billing says it: charged answers of GET and POST are bought once and kept as those of person, and such a path is charged from then on; free calls are not counted. An operation that has a command of its own keeps its price and its columns. json is the answer as it came, null where it was empty; other formats have the fields of the first answer, or --fields.`;

export const apiCommand = (commands: OperationWords): Command =>
  command({
    words: 'api',
    summary: 'any operation of the service, by method and path',
    brief: 'any other operation, by path',
    description,
    examples: [
      ['pdi api GET /credits/balance --dry-run', 'what would be sent; without it, the answer'],
      ["pdi api GET '/companies/{company_id}' -i accounts.csv --dry-run", 'a call for each row'],
      [
        `pdi api POST /enrich --body '{"email": "{mail}"}' ada@example.com --dry-run`,
        'a body for each value',
      ],
      ['pdi api GET /network/people --all -o ndjson', 'every page'],
    ],
    asksService: true,
    takes: (parser) =>
      withPageOptions(
        withInputOptions(
          parser
            .addArgument(
              new Argument('<method>', 'method of the call')
                .choices(methods)
                .argParser(methodNamed),
            )
            .argument('<path>', 'path below the base URL, with {NAME} for what is filled in')
            .argument('[value...]', 'what stands for {NAME}')
            .option(
              '-f, --parameter <name=value>',
              'query parameter, repeatable, whatever the method; what goes into the body is said by --body',
              addParameter,
            )
            .option(
              '--body <json>',
              'JSON to send: the text itself, a file, or - for stdin; none is sent without it',
            )
            .addOption(
              new Option('--billing <price>', 'what a call costs, where you know it').choices([
                'free',
                'charged',
              ] as const),
            )
            .option(
              '-y, --yes',
              'send what is no GET without asking: a terminal asks, elsewhere it is needed',
            ),
        ),
        { description: 'records a page' },
      ),
    run: async (choices, tools, method, address, texts, flags) => {
      if (flags.input === undefined) refuseWithoutFile(flags, ['--input']);
      const { runApi } = await import('../road/api.ts');
      const pages = wantedPages(flags, flags.all);
      await runApi(choices.plan(), tools, commands, { ...flags, method, address, texts, pages });
    },
  });
