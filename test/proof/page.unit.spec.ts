/** The page of results says what failed, what was not played and why, and never more than was judged. */
import { durationText, pageOf, verdictOf } from './page';
import type { Outcome, Played } from './proof';
import { firstSeedOf, proofsOf } from './proofs';
import { judge } from './run-part';

const commit = '0123456789abcdef';
const proofs = proofsOf(commit);
const named = (...names: string[]) => proofs.filter(({ name }) => names.includes(name));

const played = (proof: string, name: string, outcome: Outcome, result: string): Played => ({
  ...{ proof, name, outcome, result, minutes: 10, log: `logs/${name}.log` },
  command: ['sim', '--corpus'],
  startedAt: '2026-11-01T02:00:00.000Z',
});
const page = (names: string[], all: readonly Played[]) =>
  pageOf({ commit, proofs: named(...names), played: all, machine: '2 processors', lastLines: () => ['the last line'] });

describe('the page of results', () => {
  it('sums the histories of all slices, and their seeds follow one another', () => {
    const first = played('simulation', 'part 1', 'held', 'PASSED: 1,200 histories, 0 with violations');
    const second = played('simulation', 'part 2', 'failed', 'FAILED: 800 histories, 2 with violations');
    const [simulation] = named('simulation');
    expect(simulation!.next([first], 60)?.command).toEqual([
      'sim',
      ...['--minutes', '10', '--from', String(firstSeedOf(commit) + 1_200)],
    ]);
    const text = page(['simulation'], [first, second]);
    expect(text).toContain(`2,000 histories, seeds from ${firstSeedOf(commit)}, 2 with violations`);
    expect(text).toContain('Something failed.');
  });

  it('names what failed with its last lines and the command that plays it again', () => {
    const text = page(['corpus'], [played('corpus', 'corpus', 'failed', 'FAILED: 99 histories of the corpus')]);
    expect(text).toMatch(/\| corpus \| FAILED \|/);
    expect(text).toContain('Again: `npm run sim -- --corpus`');
    expect(text).toContain('the last line');
  });

  it('is complete only when each part of each proof has held', () => {
    const corpus = played('corpus', 'corpus', 'held', 'PASSED: 99');
    const containers = (outcome: Outcome) =>
      played('containers', 'containers', outcome, '92 expectations held, 0 did not');
    const verdict = (...all: Played[]) => verdictOf({ proofs: named('corpus', 'containers'), played: all });
    expect(verdict(corpus)).toBe('incomplete');
    expect(verdict(corpus, containers('cut off'))).toBe('incomplete');
    expect(verdict(corpus, containers('not possible'))).toBe('incomplete');
    expect(verdict(corpus, containers('failed'))).toBe('failed');
    expect(verdict(corpus, containers('held'))).toBe('complete');
  });

  it('says why a proof has no result', () => {
    expect(page(['containers'], [])).toContain('| containers | not played | needs 1 h 00 min |');
    const reason = 'containers: no container engine is there';
    expect(page(['containers'], [played('containers', 'containers', 'not possible', reason)])).toContain(
      `| containers | not possible | ${reason} |`,
    );
  });

  it('says how much of a proof with several parts has been played', () => {
    const [mutation] = named('mutation');
    const folder = mutation!.next([], 600)!.name;
    const text = page(['mutation'], [played('mutation', folder, 'held', 'mutation: every survivor has a reason')]);
    expect(text).toMatch(/\| mutation \| in part \| 1 of 17 folders/);
  });
});

describe('the result of a part', () => {
  const [corpus] = named('corpus');

  it.each([
    ['held', 0, 'some\nPASSED: 3 histories\n', 'PASSED: 3 histories'],
    ['failed', 1, 'FAILED: 3 histories\n', 'FAILED: 3 histories'],
    ['failed', 0, 'no result\n', 'it ended with 0 and printed no result'],
    ['failed', 137, 'PASS', 'it ended with 137 and printed no result'],
    ['not possible', 3, 'containers: no engine\n', 'containers: no engine'],
  ])('is %s after exit code %i and %j', (outcome, code, output, result) => {
    expect(judge(code, output, corpus!)).toEqual({ outcome, result });
  });
});

it.each([
  [4.6, '5 min'],
  [60, '1 h 00 min'],
  [485, '8 h 05 min'],
])('%d minutes are written %s', (minutes, text) => {
  expect(durationText(minutes)).toBe(text);
});
