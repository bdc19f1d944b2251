/** Which part a long run plays next, and when its result is complete. */
import type { Outcome, Part, Played, Proof } from './proof';
import { missingPart, nextPart, partsOf } from './schedule';

const part = (name: string, needsMinutes = 10): Part => ({ name, command: ['sim'], needsMinutes });

function proof(name: string, share: number, parts: readonly Part[] | 'endless'): Proof {
  const common = { name, share, shows: '', resultLine: /x/g };
  if (parts === 'endless') return { ...common, endless: true, next: (played) => part(`part ${played.length + 1}`, 1) };
  return {
    ...common,
    next: (played) => parts.find((each) => !played.some((one) => one.name === each.name && one.outcome !== 'cut off')),
  };
}

const played = (of: string, name: string, minutes: number, outcome: Outcome = 'held'): Played => ({
  ...{ proof: of, name, outcome, minutes, command: ['sim'], startedAt: '', result: '', log: '' },
});

describe('the next part of a long run', () => {
  it('shares the time by the shares of the proofs, for as long as both have parts', () => {
    const proofs = [proof('much', 3, 'endless'), proof('little', 1, 'endless')];
    const all: Played[] = [];
    for (let turn = 0; turn < 40; turn += 1) {
      const choice = nextPart(proofs, all, 60)!;
      all.push(played(choice.proof.name, choice.part.name, 1));
    }
    expect(partsOf({ name: 'much' }, all)).toHaveLength(30);
    expect(partsOf({ name: 'little' }, all)).toHaveLength(10);
  });

  it('begins no part that needs more than is left, and then plays what fits', () => {
    const proofs = [proof('long', 9, [part('long', 60)]), proof('short', 1, [part('short', 5)])];
    expect(nextPart(proofs, [], 59)?.part.name).toBe('short');
    expect(nextPart(proofs, [], 60)?.part.name).toBe('long');
    expect(nextPart(proofs, [], 4)).toBeUndefined();
  });

  it('is none when all have been played or no time is left', () => {
    const proofs = [proof('one', 1, [part('one')])];
    expect(nextPart(proofs, [played('one', 'one', 10)], 60)).toBeUndefined();
    expect(nextPart([proof('other', 1, 'endless')], [], 0.5)).toBeUndefined();
  });

  it('is the part that was cut off, whose time counts, so that it takes none from the others', () => {
    const proofs = [proof('hangs', 1, [part('hangs')]), proof('other', 1, [part('other')])];
    const all = [played('hangs', 'hangs', 10, 'cut off')];
    expect(nextPart(proofs, all, 60)?.part.name).toBe('other');
    expect(nextPart(proofs, [...all, played('other', 'other', 5)], 60)?.part.name).toBe('hangs');
  });
});

describe('a proof', () => {
  it('lacks the first part that has not ended', () => {
    const two = proof('two', 1, [part('first'), part('second')]);
    expect(missingPart(two, [])?.name).toBe('first');
    expect(missingPart(two, [played('two', 'first', 1, 'cut off')])?.name).toBe('first');
    expect(missingPart(two, [played('two', 'first', 1)])?.name).toBe('second');
    expect(missingPart(two, [played('two', 'first', 1), played('two', 'second', 1, 'failed')])).toBeUndefined();
  });

  it('without an end is complete with one part, unless that was cut off', () => {
    const endless = proof('endless', 1, 'endless');
    expect(missingPart(endless, [])).toBeDefined();
    expect(missingPart(endless, [played('endless', 'part 1', 1, 'cut off')])).toBeDefined();
    expect(missingPart(endless, [played('endless', 'part 1', 1)])).toBeUndefined();
  });
});
