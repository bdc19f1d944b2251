/** Proves which sets of answers some order explains, and which ones none does. */
import { isLinearizable, type Answered, type Asked } from './linearizable';

const asked = (from: number, to: number, answer: Answered, values = 'v'): Asked => ({ from, to, answer, values });

describe('the answers about one operation', () => {
  it.each<[string, Asked[]]>([
    ['a success, and a repeat of it', [asked(1, 5, 'succeeded'), asked(6, 7, 'succeeded')]],
    ['a refusal beside the one that succeeds', [asked(1, 9, 'succeeded'), asked(2, 3, 'refused')]],
    ['no answer, then a success', [asked(1, Infinity, 'nothing'), asked(5, 6, 'succeeded')]],
    ['a failure that a repeat turns into a success', [asked(1, 2, 'refused'), asked(3, 4, 'succeeded')]],
    ['an unknown outcome, which a person ends', [asked(1, 2, 'unknown'), asked(3, 4, 'succeeded')]],
    ['other values under the id', [asked(1, 2, 'under_way'), asked(3, 4, 'reused', 'w')]],
    ['two at once of which either may be first', [asked(1, 9, 'reused'), asked(1, 9, 'succeeded', 'w')]],
  ])('have an order: %s', (_name, requests) => {
    expect(isLinearizable(requests)).toBe(true);
  });

  it.each<[string, Asked[]]>([
    ['a success that is refused later', [asked(1, 2, 'succeeded'), asked(3, 4, 'refused')]],
    ['a success that is not known later', [asked(1, 2, 'succeeded'), asked(3, 4, 'unknown')]],
    ['two values that both succeed', [asked(1, 2, 'succeeded'), asked(3, 4, 'succeeded', 'w')]],
    ['an id that is reused before it was used', [asked(1, 2, 'reused'), asked(3, 4, 'succeeded', 'w')]],
    ['an unknown outcome, which then runs again as if it had failed', [asked(1, 2, 'unknown'), asked(3, 4, 'reused')]],
  ])('have none: %s', (_name, requests) => {
    expect(isLinearizable(requests)).toBe(false);
  });

  it('have none when the record does not hold at the end what was promised', () => {
    expect(isLinearizable([asked(1, 2, 'under_way')], { phase: 'absent', values: null })).toBe(false);
    expect(isLinearizable([asked(1, 2, 'succeeded')], { phase: 'failed', values: 'v' })).toBe(false);
    expect(isLinearizable([asked(1, 2, 'under_way')], { phase: 'succeeded', values: 'v' })).toBe(true);
  });
});
