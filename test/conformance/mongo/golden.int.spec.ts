/**
 * Replays the golden vectors: all of them in the full proof, a fixed sample of every group in the lean one. A case
 * passes when the store gives the recorded answer. The few exceptions are listed with their reasons in out-of-scope.ts:
 * each must be refused, or give the stated calendar answer. All exceptions are played in both forms.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { proofSize } from '@platform/testing';
import { readCases, replayCase, sampleOfEachGroup } from './support/golden-case';
import { openTarget } from './support/targets';
import type { Target } from './support/targets';
import { exceptions, exceptionFor } from './out-of-scope';

const areas = readdirSync(join(__dirname, 'vectors'))
  .filter((name) => name.endsWith('.jsonl'))
  .map((name) => name.slice(0, -'.jsonl'.length))
  .sort();

const stride = proofSize({ lean: 8, full: 1 });
const inScope = areas
  .filter((area) => area !== 'sessions' && area !== 'dates-quirks')
  .map((area) => {
    const all = readCases(area).filter(({ id }) => !exceptionFor(id));
    return { area, all: all.length, played: sampleOfEachGroup(all, stride) };
  });

describe('golden vectors in scope', () => {
  let target: Target;
  beforeEach(async () => {
    target = await openTarget('embedded');
  });
  afterEach(() => target.close());

  it.each(inScope.map(({ area, all, played }) => [played.length, all, area, played] as const))(
    'get the recorded answer to %d of %d cases of %s',
    async (_played, all, _area, played) => {
      const wrong: string[] = [];
      for (const golden of played) {
        const outcome = await replayCase(target.raw, golden);
        if (outcome.actual !== outcome.expected) wrong.push(golden.id);
      }
      expect(wrong).toEqual([]);
      expect(all).toBeGreaterThan(80);
    },
  );
});

describe('golden vectors outside the scope', () => {
  let target: Target;
  beforeAll(async () => {
    target = await openTarget('embedded');
  });
  afterAll(() => target.close());

  it('names no exception that matches no case', () => {
    const ids = areas.flatMap((area) => readCases(area)).map((golden) => golden.id);
    for (const exception of exceptions) expect(ids.some((id) => exception.cases.test(id))).toBe(true);
  });

  it('refuses each case outside its scope with the stated code', async () => {
    const unexpected: string[] = [];
    for (const golden of areas.flatMap((area) => readCases(area))) {
      const exception = exceptionFor(golden.id);
      if (!exception || exception.outcome === 'calendar') continue;
      const outcome = await replayCase(target.raw, golden);
      const code = outcome.refused?.code ?? firstCode(outcome.actual);
      if (code !== exception.outcome.refusedWith) unexpected.push(`${golden.id}: ${String(code)}`);
    }
    expect(unexpected).toEqual([]);
  });

  it('differs from the server only in date operators where the server leaves the calendar', async () => {
    const differing: string[] = [];
    for (const golden of readCases('dates-quirks')) {
      const outcome = await replayCase(target.raw, golden);
      if (outcome.actual !== outcome.expected) differing.push(golden.id.split('/')[1] as string);
    }
    expect(new Set(differing)).toEqual(new Set(quirksWithCalendarAnswers));
  });
});

/** Groups of dates-quirks in which at least one answer follows the calendar and not the server. */
const quirksWithCalendarAnswers = [
  'add',
  'subtract',
  'trunc-day',
  'trunc-week',
  'trunc-bins',
  'units',
  'hourly-groups',
];

function firstCode(text: string): number | undefined {
  const match = /"code":\{"\$numberInt":"(\d+)"\}/.exec(text);
  return match ? Number(match[1]) : undefined;
}
