/** `pdi lists`: lists of companies, people and investors. */

import { columnOption, encodingOption, inputFormatOption, refuseWithoutFile } from '../cli/input-options.ts';
import type { PeopleList } from '../contract/lists.ts';
import { UsageError } from '../errors.ts';
import { requireShape } from '../input/shape.ts';
import { confirmDeletion } from '../run/confirm.ts';
import type { Context } from '../run/context.ts';
import type { Launch, Program } from '../run/launch.ts';

const deletions = { companies: 'deleteCompanyList', people: 'deletePeopleList', investors: 'deleteInvestorList' } as const;
const singular = { companies: 'company list', people: 'people list', investors: 'investor list' } as const;
const withArticle = { companies: 'a company list', people: 'a people list', investors: 'an investor list' } as const;
const unstated = 'The price of a call is not documented.';
const prices = { companies: unstated, people: unstated, investors: 'Free.' } as const;

export function addLists(program: Program, launch: Launch): void {
  const lists = program.command('lists').summary('lists of companies, people and investors').description('Read, modify and delete lists.');
  const groups = {
    companies: lists.command('companies').summary('company lists').description('Company lists.'),
    people: lists.command('people').summary('people lists').description('People lists.'),
    investors: lists.command('investors').summary('investor lists').description('Investor lists.'),
  };
  addList(groups.companies, launch);
  addModify(groups.people, launch);
  addGet(groups.investors, launch);
  addDelete(groups.companies, launch, 'companies');
  addDelete(groups.people, launch, 'people');
  addDelete(groups.investors, launch, 'investors');
}

function addList(companies: Program, launch: Launch): void {
  companies
    .command('list')
    .summary('company lists that the API can see (free)')
    .description('List company lists: those created via the API, shared with it, or global. Free.')
    .action(() =>
      launch('lists companies list', async (context) => {
        const { endpoint, call } = await load('listCompanyLists');
        await call(context, { endpoint, request: { path: {} } });
      }),
    );
}

function addGet(investors: Program, launch: Launch): void {
  investors
    .command('get')
    .summary('one investor list with its members')
    .description('Read an investor list. The price of a call is not documented.')
    .argument('<listId>', 'UUID of the list')
    .action((listId) =>
      launch('lists investors get', async (context) => {
        requireShape('uuid', listId, 'listId');
        const { endpoint, call } = await load('getInvestorList');
        await call(context, { endpoint, request: { path: { listId } }, item: listId });
      }),
    );
}

function addModify(people: Program, launch: Launch): void {
  people
    .command('modify')
    .summary('add people to a list and remove people from it')
    .description('Modify a people list: all changes in one call. The price of a call is not documented.')
    .argument('<listId>', 'UUID of the list')
    .option('--add <personId...>', 'person ids to add')
    .option('--add-from <file>', 'file of person ids to add, - for stdin')
    .option('--delete <personId...>', 'person ids to remove')
    .option('--delete-from <file>', 'file of person ids to remove, - for stdin')
    .addOption(inputFormatOption())
    .addOption(encodingOption())
    .addOption(columnOption())
    .action((listId, flags) =>
      launch('lists people modify', async (context) => {
        const { readIdentifiers } = await import('../run/read-identifiers.ts');
        requireShape('uuid', listId, 'listId');
        refuseUnreadable(flags);
        const add_ids = await readIdentifiers(context, { given: flags.add, file: flags.addFrom, ...flags });
        const delete_ids = await readIdentifiers(context, { given: flags.delete, file: flags.deleteFrom, ...flags });
        refuseOverlap(add_ids, delete_ids);
        await refuseOverwriting(context, [flags.addFrom, flags.deleteFrom]);
        const body = { ...(add_ids.length > 0 && { add_ids }), ...(delete_ids.length > 0 && { delete_ids }) };
        const [{ endpoint, call }, { notAsAsked }] = await Promise.all([load('modifyPeopleList'), import('../run/changed-list.ts')]);
        const complaint = (list: PeopleList) => notAsAsked(list, { add: add_ids, remove: delete_ids });
        await call(context, { endpoint, request: { path: { listId }, body }, item: listId, complaint });
      }),
    );
}

interface FileFlags {
  readonly addFrom?: string | undefined;
  readonly deleteFrom?: string | undefined;
  readonly column?: string | undefined;
  readonly encoding?: string | undefined;
}

/** @throws UsageError */
function refuseUnreadable({ addFrom, deleteFrom, ...shape }: FileFlags): void {
  if (addFrom === '-' && deleteFrom === '-') throw new UsageError('--add-from and --delete-from cannot both read stdin');
  if (addFrom === undefined && deleteFrom === undefined) refuseWithoutFile(shape, ['--add-from', '--delete-from']);
}

/** Files that were read are never overwritten, whatever `--force` says. @throws UsageError */
async function refuseOverwriting({ flags }: Context, inputFiles: readonly (string | undefined)[]): Promise<void> {
  const { out } = flags;
  if (out === undefined) return;
  const { findTarget } = await import('../output/sinks/target.ts');
  for (const inputFile of inputFiles) await findTarget(out, { force: flags.force === true, inputFile });
}

/** What the service does with an id in both arrays is not documented, and nobody can mean it. */
function refuseOverlap(add: readonly string[], remove: readonly string[]): void {
  if (add.length + remove.length === 0) {
    throw new UsageError('there is nothing to change', { hint: 'give person ids with --add, --add-from, --delete or --delete-from' });
  }
  const removed = new Set(remove);
  const both = add.find((id) => removed.has(id));
  if (both !== undefined) throw new UsageError(`${both} is both to be added and to be deleted`, { item: both, hint: 'name it once' });
}

function addDelete(group: Program, launch: Launch, kind: keyof typeof deletions): void {
  group
    .command('delete')
    .summary(`delete ${withArticle[kind]}, for good`)
    .description(
      `Delete ${withArticle[kind]}. Permanent: asks for the id's first 8 characters on a terminal, needs --yes elsewhere. ${prices[kind]}`,
    )
    .argument('<listId>', 'UUID of the list')
    .option('-y, --yes', 'delete without asking')
    .action((listId, { yes }) =>
      launch(`lists ${kind} delete`, async (context: Context) => {
        requireShape('uuid', listId, 'listId');
        await confirmDeletion(context, singular[kind], listId, yes === true);
        const { endpoint, call } = await load(deletions[kind]);
        await call(context, { endpoint, request: { path: { listId } }, item: listId, standIn: { list_id: listId, deleted: true } });
      }),
    );
}

async function load<N extends keyof typeof import('../contract/lists.ts')>(name: N) {
  const [contract, { call }] = await Promise.all([import('../contract/lists.ts'), import('../run/call.ts')]);
  return { endpoint: contract[name], call };
}
