/** `pdi lists` reads, changes and deletes lists of companies, people and investors. */
import { type Command, command, type Words } from '../cli/command.ts';
import { onlyFile, refuseWithoutFile, withTableOptions } from '../cli/options.ts';
import { UsageError } from '../errors.ts';

export const lists: Words = {
  words: 'lists',
  summary: 'lists of companies, people and investors',
  brief: 'company, people and investor lists',
  description:
    'Read, modify and delete lists. Ids of company lists are shown by `pdi lists companies list` (free), of others they are in the address of a list in the web app.',
};

export const listKinds: readonly Words[] = [
  { words: 'lists companies', summary: 'company lists', description: 'Company lists.' },
  { words: 'lists people', summary: 'people lists', description: 'People lists.' },
  { words: 'lists investors', summary: 'investor lists', description: 'Investor lists.' },
];

const listId = ['<listId>', 'UUID of the list'] as const;

const listCompanies = command({
  words: 'lists companies list',
  summary: 'company lists that the API can see (free)',
  description: 'List company lists: those created via the API, shared with it, or global. Free.',
  examples: [
    ['pdi lists companies list', 'the lists the API can see'],
    ["pdi lists companies list -o json | jq -r '.[].id'", 'their ids'],
  ],
  takes: (parser) => parser,
  run: async (choices, tools) => {
    const [{ listCompanyLists }, { call }] = await Promise.all([
      import('../contract/lists.ts'),
      import('../road/run-calls.ts'),
    ]);
    await call(choices.plan(), tools, { endpoint: listCompanyLists, request: { path: {} } });
  },
});

const getInvestors = command({
  words: 'lists investors get',
  summary: 'one investor list with its members',
  description:
    'Read an investor list, whose id is in its address in the web app. The price of a call is not documented.',
  examples: [
    ['pdi lists investors get LIST_ID', 'one list'],
    ["pdi lists investors get LIST_ID -o json | jq -r '.investors[].investor_id'", 'its members'],
  ],
  takes: (parser) => parser.argument(...listId),
  run: async (choices, tools, id) =>
    (await import('../road/lists.ts')).readList(choices.plan(), tools, id),
});

const modifyPeople = command({
  words: 'lists people modify',
  summary: 'add people to a list and remove people from it',
  description:
    'Modify a people list, whose id is in its address in the web app: all changes in one call. The price of a call is not documented.',
  examples: [
    ['pdi lists people modify LIST_ID --add per_sample1 per_sample2', 'two people more'],
    [
      'pdi lists people modify LIST_ID --add-from ids.txt --delete per_sample3',
      'from a file, and one less',
    ],
    [
      'pdi lists people modify LIST_ID --add-from members.csv --column member',
      'from a column of its own name',
    ],
    ['pdi lists people modify LIST_ID --add-from ids.txt --dry-run', 'what would be sent'],
  ],
  takes: (parser) =>
    withTableOptions(
      parser
        .argument(...listId)
        .option('--add <personId...>', 'person ids to add')
        .option('--add-from <file>', 'file of person ids to add, - for stdin', onlyFile)
        .option('--delete <personId...>', 'person ids to remove')
        .option('--delete-from <file>', 'file of person ids to remove, - for stdin', onlyFile),
    ),
  run: async (choices, tools, id, change) => {
    const { modifyList } = await import('../road/lists.ts');
    const { addFrom, deleteFrom, ...form } = change;
    if (addFrom === '-' && deleteFrom === '-')
      throw new UsageError('--add-from and --delete-from cannot both read stdin');
    if (addFrom === undefined && deleteFrom === undefined)
      refuseWithoutFile(form, ['--add-from', '--delete-from']);
    await modifyList(choices.plan(), tools, id, change);
  },
});

const deleteCommand = (
  operation: 'deleteCompanyList' | 'deletePeopleList' | 'deleteInvestorList',
  group: string,
  title: string,
  price = 'The price of a call is not documented.',
): Command => {
  const one = `${/^[aeiou]/.test(title) ? 'an' : 'a'} ${title}`;
  return command({
    words: `lists ${group} delete`,
    summary: `delete ${one}, for good`,
    description: `Delete ${one}. Permanent: asks for the id's first 8 characters on a terminal, needs --yes elsewhere. ${price}`,
    examples: [
      [`pdi lists ${group} delete LIST_ID`, 'asks before it deletes'],
      [`pdi lists ${group} delete LIST_ID --yes`, 'in a script'],
    ],
    takes: (parser) => parser.argument(...listId).option('-y, --yes', 'delete without asking'),
    run: async (choices, tools, id, { yes }) => {
      const [contract, { deleteList }] = await Promise.all([
        import('../contract/lists.ts'),
        import('../road/lists.ts'),
      ]);
      await deleteList(choices.plan(), tools, {
        endpoint: contract[operation],
        title,
        written: id,
        confirmed: yes === true,
      });
    },
  });
};

export const listCommands = {
  listCompanyLists: listCompanies,
  modifyPeopleList: modifyPeople,
  getInvestorList: getInvestors,
  deleteCompanyList: deleteCommand('deleteCompanyList', 'companies', 'company list'),
  deletePeopleList: deleteCommand('deletePeopleList', 'people', 'people list'),
  deleteInvestorList: deleteCommand('deleteInvestorList', 'investors', 'investor list', 'Free.'),
} as const;
