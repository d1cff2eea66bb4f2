/** Finds the link to a profile in a text, such as `Ada - https://…/in/ada` (contract, section Bulk input). Pure. */
import type { Invalid } from './identifier.ts';
import { cleanUrl, locale, otherPages } from './profile-url.ts';

interface FoundLink {
  readonly url: string;
  /** Other words stood beside it. */
  readonly inText: boolean;
}

/** Not a part of another scheme, of a mail address, or of a longer path; archives have a whole link in a path. */
const host = String.raw`(?:(?<![\w@:/.-])|(?<=[^\s/]/+)(?=https?:))(?:/{2,})?(?:https?:/*)*(?:[\w-]+(?:\.[\w-]+)+|localhost)(?::\d+)?`;
/** A slug may hold a comma, but not before another link. */
const slug = String.raw`(?:[^\s|<>"“”«»()[\]{};,?#/]|,(?!\s|https?:|www\.|[\w-]+(?:\.[\w-]+)+/))+`;
const link = new RegExp(`${host}/+${locale}in/+${slug}`, 'gi');
const otherLink = new RegExp(`${host}/+(?:${otherPages})/`, 'i');
/** What follows a slug is another view of the profile, a question, or a mark of the text around. */
const view = /^(?:\/\S*)?(?:[?#].*)?$/s;
const onlyMarks = /^(?:[^\p{L}\p{N}\s]*|\|.*)$/su;

/** Gives the one link of `text`; undefined where there is none, or nothing else that could be meant. */
export function linkIn(text: string): FoundLink | Invalid | undefined {
  const found = [...text.matchAll(link)];
  const [first] = found;
  if (first === undefined) return undefined;
  const urls = new Set(found.map(([written]) => inOneForm(written)));
  if (urls.size > 1 || otherLink.test(text.replace(link, '')))
    return { invalid: 'holds two different links', hint: 'give one of them a row' };
  const [url = ''] = urls;
  const rest = text.slice(first.index + first[0].length);
  const isAlone = first.index === 0 && (view.test(rest) || onlyMarks.test(rest));
  return { url, inText: !isAlone };
}

function inOneForm(url: string): string {
  const clean = cleanUrl(url);
  return 'url' in clean ? clean.url : url;
}
