import type { Topic } from '../topic.ts';

export const spreadsheetsTopic: Topic = {
  title: 'Spreadsheets',
  parts: [
    {
      examples: [
        ['pdi person -i leads-ids.csv --out people.xlsx', 'a workbook that opens as it is'],
        ['pdi person -i leads.xlsx --column person_id --out people.csv', 'a workbook as input'],
        ["pdi feed --all -o csv --bom --delimiter ';' --out signals.csv", 'a csv for a double click, where the comma is the decimal sign'],
        ['pdi person per_sample3 -o csv --text-ids', 'a csv whose long ids keep their digits in Excel'],
      ],
    },
    { heading: 'Workbooks out' },
    'xlsx has the columns of csv: counts and money are numbers with separators, days and times are dates as the service writes them, web addresses are links (the first 65,530 of a sheet), ids are text with all their digits, and nothing is run as a formula. Columns are as wide as their first 1,000 rows need and have one number format each, the header stays in sight and has filters, and the sheet is named after the command. It prints on landscape pages, as wide as a page, with the header and the number on each. --explode experience,skills gives each of these lists a sheet of its own, a row an element with the id and name of the record. A cell holds 32,767 characters: a longer text is cut, and a notice says so. A workbook needs --out FILE, or a pipe.',
    { heading: 'Workbooks in' },
    'The first visible sheet of cells is read, or --sheet NAME, up to 200,000 filled rows, whole, so it takes memory; a csv does not. Rows that a filter hides are asked for, with a notice. The link behind a cell of the identifier column (also of =HYPERLINK) is the identifier, unless the text is an id. Cells come as they show: days as YYYY-MM-DD, durations as 36:00, TRUE, #N/A; as identifiers these are invalid, as is a fraction. Numbers come with their digits, without the zeros that a format such as 00000 shows, so make such a column text. Spreadsheets keep 15 digits of a number, so a longer id that is not text there is invalid, as is 1.23E+15. A row without text is no row, and a formula that was never calculated is empty. What a spreadsheet has lost before it saved, such as a leading zero, nobody can tell.',
    { heading: 'csv in Excel' },
    'Without --bom Excel takes accents for something else. Without --delimiter it wants the separator of its country. Without --text-ids it rounds ids of more than 15 digits: this writes them as ="9007199254740993", which spreadsheets take for text, and which pdi reads back. Data, From Text/CSV reads any csv well; LibreOffice asks when it opens one.',
    'A text of the service that a spreadsheet would run as a formula gets a leading apostrophe; --no-formula-guard leaves it out, for programs. That holds for texts of a workbook, too. The own columns of a csv input come back exactly as they were, formulas included.',
  ],
};
