/** The card of a person: who, where now, what before, what learnt. */
import { cleanLine } from './clean.ts';
import { withoutMarkup } from './markup.ts';
import { valueAt } from './read.ts';
import { itemsAt, joined, labelled, type Section, textAt, unlabelled } from './section.ts';

/** Dates as they are; an open end is `now` only where the service says so. */
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
