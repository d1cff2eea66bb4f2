// @ts-check
/** How large the large jobs are, and what their identifiers look like: all of one length, in order. */

export const people = 5000;
export const signals = 100_000;
export const few = 10_000;
export const many = 1_000_000;

/** Digits of an identifier's number. */
export const digits = 7;

/** @param {string} prefix @param {number} number */
export const numbered = (prefix, number) => `${prefix}${String(number).padStart(digits, '0')}`;
