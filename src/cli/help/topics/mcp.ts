import type { Topic } from '../topic.ts';

export const mcpTopic: Topic = {
  title: 'Agents: pdi mcp',
  parts: [
    {
      examples: [
        ['pdi mcp --config claude', 'what to paste into the client (cursor, vscode)'],
        ['pdi --profile work mcp --max-billable 20 --read-only --config claude', 'the same, with flags for the server'],
        ['pdi --sandbox mcp --config claude', 'invented data, to try it'],
      ],
    },
    'pdi mcp is a Model Context Protocol server on stdin and stdout: each operation is a tool, with its price in its description. What you paste has absolute paths, the base URL and profile in use, and the variables of this shell that pdi obeys. No key and no password is in it: a notice says how the key gets there, and which clients can ask a person.',
    {
      rows: [
        ['--confirm charged', 'the person is asked about each call that is not free, and each deletion (the default)'],
        ['--confirm always', 'about every call of the service'],
        ['--confirm never', 'about none: the cap and the budget alone hold'],
        ['--max-billable N', 'calls of one session that are not free, at most (default 100)'],
        ['--budget 200/day', 'of all sessions and commands on this machine'],
        ['--read-only', 'tools that change or delete lists are not listed'],
        ['--allow-changes', 'without it they are listed, and refused'],
        ['--tools NAME,NAME', 'only these tools are listed'],
      ],
    },
    'person and revenue take up to 50 ids (ids) and ask once. A paid answer whose caller went away is given to the same call later. A question that nobody answers holds up no other call.',
    'The question says what is bought, every character of it, at what price, and what is left. A client that cannot ask (no elicitation) gets no such call. What the book has is given without a question and without a call. Cap, budget and book are those of every command; pdi spend shows the calls of agents as command mcp.',
    'A call whose answer was lost says that it may have been billed, and is not sent again. The tool plan says what many ids would cost, the tool budget what was spent and is left; both make no call.',
    'Lists come in pages (page, limit), and so do the members of an investor list, of one call. fields (a,b.c) makes a result small. One over 64 kB is refused; asked again with fields it costs nothing. Errors are the object of pdi help exit-codes. What the service sends is data: people write about themselves what they like, also to agents; tools say so, and control and invisible characters are taken out.',
    'The server ends with stdin: calls under way are finished and written down. stderr carries its log; --verbose shows each request.',
  ],
};
