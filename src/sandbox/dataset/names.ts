/** Invents the name of each person and the four identifiers that resolve to one profile. */

import type { PersonResolveIdentifier } from '../../contract/resolve.ts';
import { parseUrl } from '../../rows/url.ts';
import type { Data } from './data.ts';
import { memberIds, personIds, personUrns } from './identifiers.ts';
import { pick, streamOf } from './random.ts';
import { firstNames } from './words.ts';

/** Both schemes are the network's own, with or without `www`. The service cleans nothing else. */
const ownUrl = /^https?:\/\/(?:www\.)?profnet\.example\/in\/([^/?#]+)$/;

/** The slug is undefined in a URL of another site, which is well-formed and nobody's. */
export function readProfileUrl(text: string): { readonly slug: string | undefined } | undefined {
  const slug = ownUrl.exec(text)?.[1];
  if (slug !== undefined) return percentDecoded(slug).trim() === '' ? undefined : { slug: percentDecoded(slug) };
  const url = /^https?:\/\//i.test(text) ? parseUrl(text) : undefined;
  if (url === undefined) return undefined;
  const parts = url.pathname.split('/').filter((part) => part !== '');
  return parts.length === 0 || (parts.length === 1 && parts[0] === 'in') ? undefined : { slug: undefined };
}

/** Programs write the letters of a path as they are, or percent-encoded. */
export function percentDecoded(slug: string): string {
  try {
    return decodeURIComponent(slug);
  } catch {
    return slug;
  }
}

export function nameOf({ seed }: Data, number: number) {
  // The documentation uses the first person, so this name does not depend on the seed.
  const [firstName, slugName] = number === 1 ? firstNames[0] : pick(streamOf(seed, 'name')(number), firstNames);
  const lastName = `Sample-${number}`;
  // Most slugs have plain letters, but people may choose others.
  const slug = `${number % 97 === 0 ? firstName.toLowerCase() : slugName}-sample-${number}`;
  return {
    personId: personIds.make(number),
    firstName,
    lastName,
    fullName: `${firstName} ${lastName}`,
    slug,
    url: `https://www.profnet.example/in/${encodeURIComponent(slug)}`,
    urn: personUrns.make(number),
    memberId: memberIds.make(number),
  };
}

const held = ({ total }: Data, number: number | undefined): number | undefined =>
  number !== undefined && Number.isInteger(number) && number >= 1 && number <= total.people ? number : undefined;

function withSlug(data: Data, slug: string | undefined): number | undefined {
  const number = held(data, Number(/-([1-9]\d{0,8})$/.exec(slug ?? '')?.[1]));
  return number !== undefined && nameOf(data, number).slug === slug ? number : undefined;
}

export const numberOf = (data: Data, personId: string): number | undefined => held(data, personIds.read(personId));

/** The identifier must be well-formed. Returns the number of its person. */
export function addressed(
  data: Data,
  { profnet_url, profnet_id, profnet_num_id, profnet_urn }: PersonResolveIdentifier,
): number | undefined {
  const url = profnet_url === undefined ? undefined : readProfileUrl(profnet_url);
  if (url !== undefined) return withSlug(data, url.slug);
  if (profnet_id !== undefined) return withSlug(data, profnet_id);
  if (profnet_urn !== undefined) return held(data, personUrns.read(profnet_urn));
  return profnet_num_id === undefined ? undefined : held(data, memberIds.read(profnet_num_id));
}
