/** Compares names of columns as a reader sees them. Pure. */

const invisible = /\p{Default_Ignorable_Code_Point}/gu;
const plain = /^[!-~]*$/;

/** Gives a name without invisible characters, with one ordinary blank for blanks of any kind, in NFC. */
export const plainName = (name: string): string =>
  plain.test(name) ? name : name.replace(invisible, '').replace(/\s+/g, ' ').trim().normalize('NFC');

/** Names with the same key look alike but for their case. */
export const nameKey = (name: string): string => plainName(name).toLowerCase();

export const isAlike = (one: string, other: string): boolean => nameKey(one) === nameKey(other);
