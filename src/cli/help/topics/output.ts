import { fileExtensions, formatDescriptions } from '../../../output/formats.ts';
import type { Topic } from '../topic.ts';

export const outputTopic: Topic = {
  title: 'Output',
  parts: [
    {
      examples: [
        ['pdi person per_sample1 --fields full_name,experience.0.title', 'some fields, also from within lists, in this order'],
        ['pdi person -i ids.txt --explode experience --out jobs.csv', 'one row for each position held'],
        ["pdi person per_sample1 -o json --query 'experience[0].title'", 'one value, without jq'],
        [`pdi network --all --where "primary_role == 'founder'" -o csv`, 'the records for which this is true'],
        ['pdi convert people.ndjson --out people.xlsx', 'what was bought before, in another format, without a call'],
      ],
    },
    { rows: formatDescriptions },
    `The format is that of -o, else of the name of --out (${fileExtensions.join(', ')}), else of PDI_OUTPUT or the profile; else a terminal gets a table, and a pipe JSON. stdout carries data and nothing else; stderr carries progress, notices, summaries and errors.`,
    { heading: 'Fields' },
    '`pdi COMMAND --help` lists the fields of a command. --fields a,b.c chooses and orders them in every format; json and ndjson then give flat objects of those names. A csv joined to an input keeps the columns of the input; a result whose name they have is called COMMAND_NAME, such as person_full_name. --with-input adds the input row to each record of json and ndjson, as pdi_input, which `pdi convert` makes columns again. Charged look-ups end with pdi_fetched_at in csv, xlsx and parquet; --fields can name it, and pdi_source.',
    { heading: '--explode LIST' },
    'Gives one row for each element of a list (experience, education, skills, signal_investors, fund_details, …), in every format but json. The columns of the list become those of its element, the rest of the record repeats, and pdi_item counts from 1. A record without elements, and a row without a record, stays one row with an empty pdi_item. In ndjson the field of the list holds the element. The summary counts input rows. One list a run, but for xlsx, where several are sheets; another list of the same answers costs nothing while the store has them (pdi help money).',
    { heading: '--query and --where' },
    'Both take JMESPath (https://jmespath.org). --query reshapes the answer of json, or each record of ndjson, where null gives no line; with --fields it sees those alone. --where keeps the records for which it is true (not null, false or empty), in every format: of feed, network, lists and investors, and of `pdi convert`, which also lets it see pdi_status. It sees the whole record; --query, --fields and --explode see what it keeps. It is refused for jobs, where rows in are rows out. A text stands in single quotes: a bare word that is compared and is no documented field is refused; @.name is a field that is not documented. A comparison with null is null. Where an expression does not fit an answer, --query leaves it as it came, --where keeps it, and the command exits 2.',
    { heading: 'parquet' },
    'Integers and numeric ids are INT64, money and other numbers DOUBLE (the nearest one), days DATE, times in any form of ISO 8601 TIMESTAMP, lists LIST, objects STRUCT; with --fields, and for a joined csv, columns are as they are named. A value of another kind is null in its column and stands in pdi_extra, as JSON of paths and values, with one notice; so does, without one, a field that is not documented.',
    { heading: 'Answers that are not as documented' },
    'A field of another type costs no answer: json gives it as it came, a typed column stays empty and pdi_error says why.',
    { heading: '--out FILE' },
    'Writes FILE whole or not at all. An existing file needs --force, unless FILE.journal beside it says that it is of the same job (pdi help jobs).',
    { heading: 'On a terminal' },
    'feed, network and lists end with counts, and spend has bars; pipes, files, --fields and --quiet see none of this. One record, or a terminal too narrow for columns, gives cards. What the service sends is cleaned of control characters.',
  ],
};
