/** Defines the card of a person: identity, positions, education, skills and links. */
import { cleanLine } from './clean.ts';
import { valueAt } from './read.ts';
import { itemsAt, joined, labelled, type Section, textAt, unlabelled } from './section.ts';

/** The content of these elements is never shown. An element that is not closed goes on to the end of the text. */
const unseen = /<(script|style)\b[^<>]*>.*?(?:<\/\1\s*>|$)/gis;
const tags = /<(?:[a-z/][^<>]*|!--[^<>]*--)>/gi;
const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };

function character(whole: string, name: string): string {
  const [, base, digits = ''] = /^#(x?)(\w+)$/i.exec(name) ?? [];
  if (base === undefined) return entities[name.toLowerCase()] ?? whole;
  const code = Number.parseInt(digits, base === '' ? 10 : 16);
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
}

/** Removes tags and decodes character references. The result is not yet safe for a terminal and must be cleaned. */
export const withoutMarkup = (text: string): string =>
  text
    .replace(unseen, ' ')
    .replace(tags, ' ')
    .replace(/&(#\d{1,7}|#x[\da-f]{1,6}|[a-z]{2,6});/gi, character);

/** An open end is `now` only if the service says that the position is current. */
function period(item: unknown): string {
  const [start, end] = [textAt(item, 'start_date'), textAt(item, 'end_date')];
  const until = end === '' && valueAt(item, 'is_current') === true ? 'now' : end;
  if (start === '') return until === '' || until === 'now' ? until : `until ${until}`;
  return until === '' ? `from ${start}` : `${start} – ${until}`;
}

const head: Section = {
  says: ['full_name', 'first_name', 'last_name', 'tagline', 'location', 'person_id'],
  fields: (record, { bold, dim }) => {
    const name = textAt(record, 'full_name') || joined([textAt(record, 'first_name'), textAt(record, 'last_name')], ' ');
    return [
      ...unlabelled(name, { paint: bold }),
      ...unlabelled(textAt(record, 'tagline')),
      ...unlabelled(textAt(record, 'location'), { paint: dim }),
      ...unlabelled(textAt(record, 'person_id'), { paint: dim, whole: true }),
    ];
  },
};

const currentPosition: Section = {
  title: 'Current position',
  says: ['current_position_title', 'current_position_company_name', 'current_position_company_website'],
  fields: (record) => [
    ...unlabelled(joined([textAt(record, 'current_position_title'), textAt(record, 'current_position_company_name')], ', ')),
    ...unlabelled(textAt(record, 'current_position_company_website')),
  ],
};

const experience: Section = {
  title: 'Experience',
  says: ['experience'],
  fields: (record) =>
    itemsAt(record, 'experience').flatMap((item) =>
      labelled(period(item), [joined([textAt(item, 'title'), textAt(item, 'company_name')], ', ') || 'no title given']),
    ),
};

const education: Section = {
  title: 'Education',
  says: ['education'],
  fields: (record) =>
    itemsAt(record, 'education').flatMap((item) => {
      const degree = joined([textAt(item, 'degree_title'), textAt(item, 'field_of_study')], ' ');
      const description = cleanLine(withoutMarkup(textAt(item, 'description')));
      return labelled(period(item), [joined([degree, textAt(item, 'name')], ', '), description]);
    }),
};

const skills: Section = {
  title: 'Skills',
  says: ['skills'],
  fields: (record) => unlabelled(cleanLine(itemsAt(record, 'skills').map(String).join(', '))),
};

const addresses = ['profnet_url', 'twitter_url', 'github_url', 'profile_picture_url'];

const links: Section = {
  title: 'Links',
  says: addresses,
  fields: (record) => addresses.flatMap((name) => labelled(name.replace(/_url$/, '').replace('_', ' '), [textAt(record, name)])),
};

export const personCard: readonly Section[] = [head, currentPosition, experience, education, skills, links];
