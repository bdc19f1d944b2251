/** What the histories of processes claim to judge, and how much they must have seen for that. */
import type { Minimums } from '@platform/testing';

/**
 * How many facts of each invariant a hundred histories have at least; they usually have several times as many. Not
 * claimed are I9, because no history is long enough to end a migration, I16, because deletions are rare, and I17, because
 * no investigator resolves anything.
 */
export const perHundred = {
  I1: 100,
  I2: 100,
  I3: 10,
  I4: 100,
  I5: 20,
  I6: 30,
  I7: 2_000,
  I8: 50,
  I10: 200,
  I11: 5,
  I12: 5,
  I13: 2,
  I14: 50,
  I15: 100,
  I18: 200,
} as const satisfies Minimums;
/** So many of the orderly ends were seen where nothing else failed. */
export const endsPerHundred = 20;

/** The share of a minimum that belongs to so many histories. */
export const shareOf = (minimum: number, histories: number): number => Math.floor((minimum * histories) / 100);
