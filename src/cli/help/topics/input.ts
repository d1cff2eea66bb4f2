import type { Topic } from '../topic.ts';

export const inputTopic: Topic = {
  title: 'Input: files of identifiers',
  parts: [
    {
      examples: [
        ['pdi resolve -i crm.csv --column link,handle --out crm-ids.csv', 'links, and handles where a link finds nobody'],
        ['pdi resolve -i Connections.csv --column URL -o csv', 'lines above a header are passed over'],
        ['pdi resolve -i leads.csv --encoding windows-1252 --column linkedin -o csv', 'a CSV that Excel saved'],
        ['pdi person -i leads-ids.csv --first 1 -o csv', 'the first row, before the rest'],
      ],
    },
    { heading: 'Kinds' },
    "Lines, csv, tsv, ndjson, json or xlsx, also in gzip, told by the file's name or first bytes (--input-format decides). A table called .txt is one where its first row holds a known or wanted column. A .json file with a value a line is read as ndjson; of a list inside an object, the message says how to give it. Markup, vCards, YAML, SQL, PDF, databases and archives are refused by name. Text is UTF-8, or UTF-16 with a byte order mark; --encoding LABEL names another.",
    'A file is read through before the first call: a wrong encoding, an open quote, a broken .json or a row of more than 1 MiB ends the command with exit 2 and the line (--first N checks N rows). A pipe is read once, so it stops there, and rows after a wrong encoding are skipped. A broken line of ndjson is an invalid row.',
    { heading: 'The column' },
    'It is found by its name; --column A,B takes the first that is filled, and resolve goes on to B where A finds nothing (pdi_matched_by says which). Titles and notes above the header are passed over, with a notice; --header-row N says where it is. A header that comes again is no row. Names are compared without invisible characters.',
    { heading: 'Identifiers' },
    'Their shape tells them: urn:… is a URN, digits are a numeric id, a slash makes a URL, and the rest is a vanity id, dots included (--as decides). Quotes, brackets, @ and invisible characters around them are taken off, and links lose country, language and tracking, never a letter of the slug. A text with exactly one link to a profile is that link; the summary counts them. Your columns keep what you wrote. The same identifier is asked once, in a free job as long as it has at most 10,000 of them.',
    {
      rows: [
        ['blank', 'what programs write for nothing: NA, N/A, NULL, nan, None, \\N, -, undefined, (blank), TBD, ----, (text), Total'],
        [
          'invalid',
          'numbers that a program spoilt (7.0E8, 700.000.001, +7, 7L), days, code, characters that were lost, two different links, a mail address or the page of a company for resolve, a person id, URL, domain or name of a column for revenue',
        ],
      ],
    },
    { heading: 'Workbooks' },
    'The first sheet that is shown, or --sheet NAME: up to 200,000 filled rows. A link behind a cell is its identifier; dates, truth values and rounded numbers are invalid; hidden rows are asked, with a notice.',
  ],
};
