import { invariants } from '@platform/testing';
import { neverReached, sometimes } from './sometimes';
import { createTally, isGreen, judgedIn, verdict, type Tally } from './tally';

/** The tally of a run that has reached everything it claims. */
function whole(): Tally {
  const tally = createTally();
  tally.histories = 10_000;
  tally.modelSteps = 1_000_000;
  for (const { id } of invariants) tally.weights[id] = 10_000;
  for (const state of sometimes) tally.reached[state] = 1;
  return tally;
}

describe('the verdict over many histories', () => {
  it('is green when nothing is broken, everything was judged, and every listed state was reached', () => {
    expect(isGreen(whole())).toBe(true);
    expect(verdict(whole(), 1, 1)).toContain('PASSED');
  });

  it('names an invariant that too few facts could have shown, and is not green', () => {
    const tally = whole();
    tally.weights['I17'] = 99;
    expect(judgedIn(tally).filter(({ judged }) => !judged)).toMatchObject([{ id: 'I17', seen: 99, minimum: 100 }]);
    expect(isGreen(tally)).toBe(false);
    expect(verdict(tally, 1, 1)).toContain('NOT JUDGED: I17: 99 recorded resolutions, at least 100 are needed');
  });

  it('says that the reference model has judged nothing when no step reached it, and is not green', () => {
    const tally = whole();
    tally.modelSteps = 49_999;
    expect(isGreen(tally)).toBe(false);
    expect(verdict(tally, 1, 1)).toContain('NOT JUDGED: reference model: 49,999 steps, at least 50,000 are needed');
  });

  it('names a state that no history has reached, and is not green', () => {
    const tally = whole();
    tally.reached['resolution: item'] = 0;
    expect(neverReached(tally)).toEqual(['resolution: item']);
    expect(isGreen(tally)).toBe(false);
    expect(verdict(tally, 1, 1)).toContain('NEVER REACHED: resolution: item');
    expect(neverReached({ ...tally, histories: 300 })).toEqual([]);
  });
});
