/** The id, URL or name in what people and programs write (section "Identifier conventions" of the API document). Pure. */
import { argumentWord, shellWord, UsageError } from '../errors.ts';
import type { PathParameter } from './endpoint.ts';

const invisible = '\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff';
const around = new RegExp(`[\\s${invisible}"'\`«»‹›\u2018-\u201f]`);

/** A word processor puts these in; joiners between letters of other scripts are parts of their words. */
const unseenWithin = /[\u00ad\u200b\u200e\u200f\u2060\ufeff]|(?<=[!-~])[\u200c\u200d]/g;
const hyphens = /[\u2010\u2011\ufe63\uff0d]/g;

/** An id or a URL alone: nothing that is taken off can be a part of one, and another hyphen can only be a mistake for `-`. */
export function bare(written: string): string {
  let text = withoutMarks(written.replace(unseenWithin, '').replace(hyphens, '-'));
  // One angle bracket alone tells of something else, such as `<<<<<<< HEAD`.
  while (text.startsWith('<') && text.endsWith('>') && text.length > 1)
    text = withoutMarks(text.slice(1, -1));
  return text;
}

const withoutMarks = (text: string): string =>
  stripped(text, around, (at) => text[at] === '@' || (text[at] === '=' && text[at + 1] === '"'));

const unseenBefore = /^(?:[\s\p{C}\u2800]|\p{Default_Ignorable_Code_Point})+/u;
const dashes = /[\p{Pd}\u02d7\u2043\u207b\u208b\u2212\u2796]/gu;

/** A text as a reader sees it who takes every dash for a hyphen. */
export const asSeen = (text: string): string =>
  text.replace(unseenBefore, '').replace(unseenWithin, '').replace(dashes, '-');

/** As an argument, or in a cell, nobody means these for an id or a name. */
export const isFlag = (text: string): boolean => /^(?:--[a-z]|-[a-z]$)/i.test(asSeen(text));

/** A pattern such as `\s+$` takes a time that grows with the square of the length. */
function stripped(
  text: string,
  taken: RegExp,
  standsBefore: (at: number) => boolean = () => false,
): string {
  let [start, end] = [0, text.length];
  while (start < end && (taken.test(text.charAt(start)) || standsBefore(start))) start += 1;
  while (end > start && taken.test(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

/** The formula guard writes this apostrophe, also before those that the text itself begins with. */
const guard = /^'(?='*[=+\-@])/;

/** Which marks close a quote that is opened so, in all the ways that keyboards and languages have. */
const closing: Readonly<Record<string, string>> = {
  ...{
    '"': '"”',
    "'": "'’",
    '`': "`'",
    '´': '´',
    '＂': '＂',
    '＇': '＇',
    '「': '」',
    '｢': '｣',
    '『': '』',
    '《': '》',
    '〈': '〉',
    '【': '】',
    '′': '′',
    '″': '″',
  },
  ...{
    '“': '”"“',
    '”': '”',
    '„': '“”"',
    '‟': '”',
    '‘': "’'‘",
    '’': '’',
    '‚': '‘’',
    '‛': '’',
    '❝': '❞',
    '❛': '❜',
    '〝': '〞〟',
  },
  ...{ '«': '»', '»': '«»', '‹': '›', '›': '‹›' },
};

/** Takes pairs of quotes off that stand around the whole. `"A" and "B"` has none such, and an apostrophe stands between letters. */
function unquoted(written: string, levels = 3): string {
  const text = written.startsWith('="') ? written.slice(1) : written;
  const [open = '', close = ''] = [text.charAt(0), text.charAt(text.length - 1)];
  if (levels === 0 || text.length < 2 || closing[open]?.includes(close) !== true) return written;
  const inner = unquoted(text.slice(1, -1).trim(), levels - 1);
  const marks = new RegExp(`(?<!\\p{L})[${open}${close}]|[${open}${close}](?!\\p{L})`, 'u');
  return marks.test(inner) ? written : inner;
}

/** Scripts from Arabic to Khmer join letters, or keep them apart, by marks that nobody sees. */
const unseenInName =
  /(?<![\u0600-\u18af])[\u200c\u200d]|[\u200c\u200d](?![\u0600-\u18af])|(?![\u200c\u200d])\p{Default_Ignorable_Code_Point}/gu;

/** A name alone: in NFC, with one ordinary blank for blanks of any kind, without what nobody sees and pairs of quotes around it. */
export function bareName(written: string): string {
  const name = written
    .replace(unseenInName, '')
    .replace(/[\s\u2800]+/g, ' ')
    .trim()
    .normalize('NFC');
  return unquoted(name.replace(guard, ''));
}

const ignorable = /\p{Default_Ignorable_Code_Point}/gu;

/** Most names and cells are like this, and nothing of them has to be looked at more closely. */
const printed = /^[!-~]*$/;

/** Names are compared as a reader sees them: without invisible characters, with one ordinary blank for blanks of any kind, in NFC. */
export const plainName = (name: string): string =>
  printed.test(name)
    ? name
    : name.replace(ignorable, '').replace(/\s+/g, ' ').trim().normalize('NFC');

/** Many programs take names that differ in case alone for one. */
export const nameKey = (name: string): string => plainName(name).toLowerCase();

const wordsIn = (lines: readonly string[]): ReadonlySet<string> =>
  new Set(lines.flatMap((line) => line.split(', ')));

const fillers = wordsIn([
  'na, n/a, n.a., n.a, #na, #n/a n/a, null, nil, none, undefined, \\n, nat, nan, +nan, -nan, 1.#ind, -1.#ind, 1.#qnan, -1.#qnan',
  'not available, not applicable, not set, not found, not provided, not specified, not assigned, no data, no value, n/d, n.d., s/o, k.a.',
  'tbd, tba, tbc, to be determined, please select, select..., loading..., wird geladen..., pd.na, na_character_, $null$',
  'keine angabe, non renseigné, sin datos, no aplica, não informado, n.v.t., s.o., нет, нет данных',
  'なし, 該当なし, 无, 無, 暂无, 없음, 해당 없음, 해당없음',
  '00000000-0000-0000-0000-000000000000',
]);

/** Most cells are like this: no mark stands around them. */
const plainWord = /^[a-z\d](?:[!-~]*[a-z\d])?$/i;

/** What is left without the marks around it; empty where there is neither letter nor digit. */
const coreOf = (text: string): string =>
  plainWord.test(text)
    ? text.toLowerCase()
    : (/[\p{L}\p{N}](?:.*[\p{L}\p{M}\p{N}])?/su.exec(text)?.[0].normalize('NFC').toLowerCase() ??
      '');

export const isWordless = (text: string): boolean => coreOf(text) === '';

const bracketed = /^(?:\([^()]{0,30}\)|\[[^[\]]{0,30}\]|\{[^{}]{0,30}\})$/;

const totals = [
  '(?:grand |sub[ -]?|sous[ -]|over ?all |running )?totals?(?: g[eé]n[eé]ra[ul]x?| geral| generale?| aggregate)?|subtotale|totale (?:generale|complessivo)',
  '(?:zwischen|end|teil|gesamt)(?:summe|ergebnis)|insgesamt|(?:sub|eind)?totaal|total(?:t|summa)|del(?:summa|sum)|i alt|yhteensä|(?:väli|loppu)summa',
  'razem|ogółem|łącznie|suma (?:końcowa|częściowa)|celkem|celkom|mezisoučet|medzisúčet|összesen|(?:rész|vég)összeg|ukupno|skupaj|kokku|iš viso|kopā',
  '(?:общий |промежуточный )?итого?|всего|усього|разом|підсумок|общо|укупно|(?:genel |ara )?toplam|(?:γενικό |μερικό )?σύνολο|άθροισμα',
  'סה["״]כ|סך הכל|(?:ال)?مجموع|المجموع الكلي|(?:ال)?إجمالي|कुल|योग|合[計计]|小[計计]|[総總总][計计]|共[計计]|累[計计]|(?:총 ?)?합계|총계|소계|รวม|ผลรวม|tổng(?: cộng)?|jumlah',
].join('|');
/** A figure or a unit may stand behind it: `Total: 1,234`, `Total (EUR)`. */
const behindTotal = '[\\s:=]*(?:\\(.{0,20}|(?<=[\\s:=])[\\d.,\\s]+)?';
const total = new RegExp(`^(?:${totals})${behindTotal}$`, 'iu');
const sum = new RegExp(
  `^(?:sum|summe|gesamt|totale|somme|soma|somma|suma|sumă|summa|som|součet|súčet|zbroj|spolu|сумма|сума|${totals})${behindTotal}$`,
  'iu',
);

/** `Sum` may also be a vanity id: there it labels totals only where a figure stands beside it. */
export const mayLabelTotals = (cell: string): boolean =>
  isShort(cell) && !likeAnId.test(cell) && sum.test(coreOf(cell));

/** A longer text is no word, and to look for one in it may take long. */
const isShort = (text: string): boolean => text.length <= 100;

/** Salesforce writes `--None--`, and people `(none)`, `n/a.` or `k. A.` */
function isWord(text: string, core = coreOf(text)): boolean {
  if (fillers.has(text) || fillers.has(core) || fillers.has(`${core}.`)) return true;
  const close = /[./]/.test(core) ? core.replace(/(?<=[./])\s|\s(?=\/)/g, '') : core;
  return close !== core && (fillers.has(close) || fillers.has(`${close}.`));
}

/** As the name of an investor or the id of a company these name nobody; as a vanity id, somebody may be meant. */
const noName = wordsIn([
  'blank, empty, unknown, missing, unset, text, string, name, object object, undisclosed, not disclosed, unnamed, unspecified, redacted',
  'unknown investor, unknown investors, undisclosed investor, undisclosed investors, confidential, anonymous, various, others, eof, eot, end',
  'leer, vide, en blanco, vuoto, vazio, leeg, tom, puste, prázdné, boş, пусто, 空白, 비어 있음',
  'unbekannt, inconnu, inconnue, desconocido, desconocida, desconhecido, sconosciuto, sconosciuta, onbekend, okänd, okänt, ukendt, ukjent',
  'tuntematon, nieznany, nieznane, neznámý, neznáme, ismeretlen, necunoscut, bilinmiyor, bilinmeyen, неизвестно, невідомо, άγνωστο',
  'לא ידוע, غير معروف, अज्ञात, 不明, 未知, 不详, 알 수 없음, 미상, ไม่ทราบ, không rõ, tidak diketahui',
]);

/** No word is like these, and to look for all of them takes its time. */
const likeAnId = /[a-z_-]\d|:\/\//i;

function namesNothing(text: string): boolean {
  const core = coreOf(text);
  if (core === '' || bracketed.test(text) || isWord(text.toLowerCase(), core)) return true;
  return isShort(text) && !likeAnId.test(core) && total.test(core);
}

function isNameInBrackets(text: string): boolean {
  const name = text.slice(1, -1).trim().toLowerCase();
  return (
    /^\(.*\)$/.test(text) && !namesNothing(name) && !noName.has(name) && !/^\d+ rows?$/.test(name)
  );
}

/** Whether a cell of a table, or a line of a file, names nothing (contract, section "Bulk input"). */
export function isBlankCell(written: string, field?: string): boolean {
  const text = bare(written);
  return namesNothing(text) && !(field?.toLowerCase() === 'name' && isNameInBrackets(text));
}

/** Whether it is nothing where any text could be an id or a name. */
export const namesNobody = (text: string): boolean =>
  (isBlankCell(text) && !isNameInBrackets(text)) ||
  noName.has(coreOf(text)) ||
  mayLabelTotals(text);

const asText = 'export the column as text';

const madeDay = `a day, which a spreadsheet makes of an id: ${asText}`;
const numericDay =
  /^\d{4}-\d\d-\d\d(?:T[\d:.]+Z?)?$|^\d{1,2}-\d{1,2}-\d{4}$|^(?:0?[1-9]|[12]\d|3[01])\.(?:0?[1-9]|1[0-2])\.(?:\d{2}|\d{4})?$|^(?:\d{2,4}[年년])?\d{1,2}[月월]\d{1,2}[日일]$/;
const months = [
  'jan(?:uary|uar|vier|v|uari)?|feb(?:ruary|ruar|brero|braio|ruari)?|mar(?:ch|s|zo|t)?|apr(?:il|ile)?|may|june?|july?|aug(?:ust|ustus)?|sept?(?:ember|embre|iembre)?',
  'oct(?:ober|obre|ubre)?|nov(?:ember|embre|iembre|embro)?|dec(?:ember)?|jän(?:ner)?|mär(?:z)?|mrz|mai|juni|juli|okt(?:ober)?|dez(?:ember|embro)?|fév(?:rier|r)?',
  'avr(?:il)?|juin|juil(?:let)?|août|déc(?:embre)?|ene(?:ro)?|abr(?:il)?|mayo|junio|julio|ago(?:sto)?|dic(?:iembre|embre)?|gen(?:naio)?|mag(?:gio)?|giu(?:gno)?',
  'lug(?:lio)?|set(?:tembre|embro)?|ott(?:obre)?|fev(?:ereiro)?|março|maio|junho|julho|out(?:ubro)?|mrt|maart|mei|maj|des|sty|lut|kwi|cze|lip|sie|wrz|paź|lis|gru',
  'oca|şub|nis|haz|tem|ağu|eyl|eki|kas|янв|фев|мар|апр|май|мая|июн|июл|авг|сен|окт|ноя|дек',
];
const month = `(?:${months.join('|')})\\.?`;
const monthFirst = new RegExp(`^${month}[-. ]{1,2}\\d{1,4}(?:[-. ]{1,2}\\d{2,4})?$`, 'iu');

const spoilings: readonly { readonly shape: RegExp; readonly reason: string }[] = [
  {
    shape: /^[+-]?\d+(?:[.,]\d+)?E\+\d+$|^[+-]?\d[.,]\d+E-?\d+$|^[+-]?\dE\d{1,2}$/i,
    reason: `a rounded number: ${asText}`,
  },
  {
    shape:
      /^[+-]?\d{1,3}(?:([.,'’_٬])\d{3})(?:\1\d{3})*(?:[.,]\d+)?$|^\d{1,2}(?:,\d{2})+,\d{3}$|^\d+(?:_\d+)+$/,
    reason: `a number with separators: ${asText}`,
  },
  { shape: numericDay, reason: madeDay },
  {
    shape: new RegExp(`^\\d{1,2}[-. ]{1,2}${month}(?:[-. ]{1,2}\\d{2,4})?$`, 'iu'),
    reason: madeDay,
  },
  {
    shape: /^\d{1,3}:\d\d(?::\d\d)?$/,
    reason: `a time, which a spreadsheet makes of an id: ${asText}`,
  },
  { shape: /^[+-]?\d+[.,]\d*$/, reason: `a number with decimals: ${asText}` },
  { shape: /^[+\-−$€£¥]\d+$|^\d+[-−%$€£¥]$/, reason: `a number with a sign: ${asText}` },
  {
    shape: /^\d{5,}(?:u?l{1,2}|u|n|[iu]\d{2}|d|f)$|^0x[\da-f]+$/i,
    reason: `a number with the mark of a programming language: ${asText}`,
  },
  {
    shape: /^(?=.*[^\d.,'_+-])[+\-−]?\p{Nd}(?:[.,'’_٬٫]?\p{Nd})*$/u,
    reason: 'a number in the digits of another script: write it as 0 to 9',
  },
];

const maybeNumber = /^[+\-−$€£¥]?\p{Nd}/u;

export function spoiltNumber(text: string): string | undefined {
  if (text === 'TRUE' || text === 'FALSE')
    return 'a truth value: format the column as text in the spreadsheet';
  if (!maybeNumber.test(text)) return undefined;
  const written = text.normalize('NFC');
  return spoilings.find(({ shape }) => shape.test(written))?.reason;
}

/** The same in whatever stands around it, where no text may be asked for that is not meant. */
export const spoiltByProgram = (text: string): string | undefined =>
  spoiltNumber(text) ?? spoiltNumber(coreOf(text));

export interface Invalid {
  readonly invalid: string;
  readonly hint?: string;
}

type IdShape = PathParameter['shape'];

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export const isUuid = (text: string): boolean => uuid.test(text);

export const withHint = (invalid: string | undefined, hint: string): Invalid | undefined =>
  invalid === undefined ? undefined : { invalid, hint };

const complaints: Readonly<Record<IdShape, (text: string) => Invalid | undefined>> = {
  company: (text) =>
    withHint(
      notOfACompany(text),
      "give an entity_id of feed, a company_id of person or investors, or the id in the web app's address",
    ),
  person: notOfAPerson,
  uuid: (text) =>
    withHint(isUuid(text) ? undefined : 'not a list id, which is a UUID', shownByService),
  integer: (text) =>
    withHint(
      /^\d+$/.test(text) ? undefined : 'not the id of a saved search, which is a whole number',
      shownByService,
    ),
};

const shownByService = "it is in the web app's address";

export const idOfAnInvestor = {
  invalid: 'is the id of an investor, not of a person',
  hint: '`pdi investors` shows its person_id',
};

function notOfAPerson(text: string): Invalid | undefined {
  if (/^per_./.test(text))
    return textAround.test(text)
      ? { invalid: 'not an id alone', hint: 'leave out what stands around it' }
      : undefined;
  if (text === 'per_')
    return { invalid: 'not a person id: nothing follows per_', hint: 'give the whole id' };
  if (isBlankCell(text))
    return {
      invalid: 'what programs write for nothing, not an id',
      hint: 'give the id of a person',
    };
  if (isFlag(text))
    return { invalid: 'a flag of a command, not an id', hint: 'give the id of a person' };
  if (mailAddress.test(text))
    return {
      invalid: 'a mail address, which the service does not look up',
      hint: 'give the id of a person',
    };
  if (/^inv_./.test(text)) return idOfAnInvestor;
  const resolve = `\`pdi resolve ${argumentWord(text)}\` (free) finds the person id`;
  if (!text.includes('/'))
    return {
      invalid: 'not a person id: it does not begin with per_',
      hint: `${resolve} of a vanity id, a numeric id or a URN`,
    };
  const hint = `${resolve}; \`pdi resolve ${shellWord(text)} -o ndjson | pdi person -i -\` goes straight on`;
  return { invalid: 'a profile URL, not a person id: pdi resolve (free) finds the id', hint };
}

/** As the id of a company these name nothing; as a name or a vanity id, somebody may be meant. */
const noCompany =
  /^(?:void|pending|x{3,20}|error|true|false|wahr|falsch|vrai|faux|keine?|aucune?|ningun[oa]|nessun[oa]|brak|yok|geen|nd|0|[+-]?inf(?:inity)?)$/i;
const ofColumn =
  /^(?:average|avg|mean|median|min|max|std(?:ev)?|count|varchar|char|int(?:eger|8|16|32|64)?)$/i;
const columnName =
  /^(?:compan(?:y|ies)|accounts?|organi[sz]ations?|firm[as]?|unternehmen|société|empresas?|azienda|会社名?|企業名?|(?:person|investor|entity|search|list|signal)_id|profnet_\w+|(?:(?:company|organi[sz]ation|account)[_-]?)?(?:ids?|uuid|name|domain|website|url))$/i;
/** A line of a program or of its settings, a template, a formula. */
const code = /["'`[\]{}()<>|\\;$]|^%.*%$|=[^=]/;
/** Marks of the text that an id was copied from, or of a line that is a comment. */
const textAround =
  /^[-_]*[^\p{L}\p{M}\p{N}_-]|["'`[\]{}()<>|\\;]|[^!-~\p{L}\p{M}\p{N}]|[^\p{L}\p{M}\p{N}_=~%-][_=~%-]*$/u;

export const mailAddress = /^(?:mailto:)?[^\s@/:]+@[^\s@/:]+\.[^\s@/:]+$/i;

/** The shape of a company id is not documented; these are ids and texts of other kinds. */
function notOfACompany(text: string): string | undefined {
  const core = coreOf(text);
  if (namesNobody(text) || noCompany.test(core) || ofColumn.test(core))
    return 'what programs write for nothing, not an id';
  if (isFlag(text)) return 'a flag of a command, not an id';
  if (text.startsWith('per_')) return 'a person id, not a company id';
  if (text.startsWith('inv_')) return 'an investor id, not a company id';
  if (/\/|^https?:/i.test(text)) return 'a URL, not a company id';
  if (text.includes('@')) return 'a mail address, not a company id';
  if (/^(?:[\p{L}\p{M}\d-]+\.)+(?:[\p{L}\p{M}]{2,}|xn--[a-z\d-]+)(?::\d+)?$/iu.test(text))
    return 'a domain, not a company id';
  if (monthFirst.test(core)) return madeDay;
  if (code.test(text)) return spoiltNumber(text) ?? 'a piece of code or of a setting, not an id';
  if (columnName.test(core)) return 'the name of a column, not an id';
  return (
    spoiltNumber(text) ??
    spoiltNumber(core) ??
    (textAround.test(text) ? 'not an id alone: leave out what stands around it' : undefined)
  );
}

/** The service would take them for one unknown id. */
export const severalIds = {
  invalid: 'an id with a comma',
  hint: 'give one id at a time, separated by blanks or line ends',
};

/** `shownBy` says what shows such ids. @throws UsageError naming the argument or flag, and what to do instead */
export function requireShape(
  shape: IdShape,
  written: string,
  name: string,
  shownBy = shownByService,
): string {
  const found = plainIdentifier(written, shape);
  if (!('invalid' in found)) return found.text;
  const { invalid, hint = 'give one id' } = found;
  const wayOn =
    found === severalIds ? 'give one id at a time' : hint === shownByService ? shownBy : hint;
  throw notSent(`${name} ${written}: ${invalid}`, wayOn, written);
}

export const notSent = (message: string, hint: string, item?: string): UsageError =>
  new UsageError(message, { item, hint: `nothing was sent; ${hint}` });

const maxPathPartLength = 500;

/** An id that goes into a request's path or query as it is, or why it does not. */
export function plainIdentifier(
  written: string,
  shape: IdShape = 'company',
): { readonly text: string } | Invalid {
  const text = bare(written);
  const invalid = visiblyBroken(text, maxPathPartLength);
  if (invalid !== undefined) return { invalid };
  // A URL's path would lose these two, and the request would reach another endpoint.
  if (text === '.' || text === '..') return { invalid: `"${text}" is not an id` };
  if (text.includes(',')) return severalIds;
  return complaints[shape](text) ?? { text };
}

export const lostCharacterIn = (text: string): string | undefined =>
  /\ufffd|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/.test(text)
    ? 'holds a character that a program has lost (U+FFFD): take it from another export'
    : undefined;

/** Commas, full stops and brackets, which stand around ids or between them. */
export const asianMarks = String.raw`\u3001\u3002\u3008-\u3011\uff01-\uff0f\uff1a\uff1b\uff1f\uff61-\uff64`;
const asianMark = new RegExp(`[${asianMarks}]`);

export function visiblyBroken(text: string, longest: number): string | undefined {
  if (text === '') return 'empty';
  if (/\p{Cc}/u.test(text)) return 'holds a control character';
  if (/\s/.test(text)) return 'contains a space';
  if (/[\u2012-\u2015\u2212]/.test(text)) return 'holds a dash where ids have a hyphen';
  if (asianMark.test(text)) return 'holds a punctuation mark of another script';
  if (/[\u202a-\u202e\u2066-\u2069]/.test(text))
    return 'holds a character that turns the direction of a text';
  return (
    lostCharacterIn(text) ??
    (text.length > longest ? `longer than ${longest} characters` : undefined)
  );
}

/** Where nothing else tells a website from the name of an investor: a name has spaces or no dot. */
export const looksLikeWebsite = (text: string): boolean =>
  /^(https?:\/\/)?[^\s/]+\.[^\s/.]{2,}(\/\S*)?$/i.test(text);
