/** A run of processes says what it has seen too little of, in proportion to its histories. */
import { deathAtCommit, lossAtCommit, notPlayed, orderlyEnd, perHundred, shareOf } from './claims';

describe('the claims of histories of processes', () => {
  it('need their facts in proportion to the histories, and none of a few', () => {
    expect([10, 50, 100, 250].map((histories) => shareOf(perHundred.I5, histories))).toEqual([0, 5, 10, 25]);
  });

  it('name what was not played often enough', () => {
    const enough = { [orderlyEnd]: 30, [deathAtCommit]: 12, [lossAtCommit]: 12 };
    expect(notPlayed(enough, 100)).toEqual([]);
    expect(notPlayed({}, 10)).toEqual([]);
    expect(notPlayed({ ...enough, [orderlyEnd]: 29 }, 100)).toEqual([
      'NOT JUDGED: 29 times orderly end in calm, at least 30 are needed',
    ]);
    expect(notPlayed({ [orderlyEnd]: 15, [lossAtCommit]: 6 }, 50)).toEqual([
      'NOT JUDGED: 0 times death at a commit, at least 6 are needed',
    ]);
  });
});
