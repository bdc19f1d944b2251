/** What the histories of processes claim to judge, and how much they must have seen for that. */
import type { Minimums } from '@platform/testing';

/**
 * How many facts of each invariant a hundred histories have at least: about a quarter of what they usually have. Not
 * claimed are I9, because no history is long enough to end a migration, I16, because deletions are rare, and I17, because
 * no investigator resolves anything.
 */
export const perHundred = {
  I1: 100,
  I2: 100,
  I3: 10,
  I4: 100,
  I5: 10,
  I6: 25,
  I7: 1_500,
  I8: 50,
  I10: 250,
  I11: 20,
  I12: 10,
  I13: 4,
  I14: 50,
  I15: 2_000,
  I18: 250,
} as const satisfies Minimums;
/**
 * An orderly end that nothing disturbed, a death after a commit of which the process did not learn, and the loss of the
 * store or the broker at a commit.
 */
export const [orderlyEnd, deathAtCommit, lossAtCommit] = [
  'orderly end in calm',
  'death at a commit',
  'loss of a server at a commit',
] as const;
/** What a hundred histories have played at least. */
const playedPerHundred: Readonly<Record<string, number>> = {
  [orderlyEnd]: 30,
  [deathAtCommit]: 12,
  [lossAtCommit]: 12,
};

/** A few histories may have none of what many have, so that they claim nothing. */
const claimsFrom = 20;

/** One line for each end that too few histories have reached; `more`: what these histories have besides. */
export function notPlayed(
  reached: Readonly<Record<string, number>>,
  histories: number,
  more: Readonly<Record<string, number>> = {},
): string[] {
  return Object.entries({ ...playedPerHundred, ...more }).flatMap(([name, minimum]) => {
    const [seen, needed] = [reached[name] ?? 0, shareOf(minimum, histories)];
    return seen < needed ? [`NOT JUDGED: ${seen} times ${name}, at least ${needed} are needed`] : [];
  });
}

/** The share of a minimum that belongs to so many histories. */
export const shareOf = (minimum: number, histories: number): number =>
  histories < claimsFrom ? 0 : Math.floor((minimum * histories) / 100);
