import { lineOf, projectOf, reasonsIn, scoreOf, survivorsOf, tableOf } from './scores.cjs';

const source = ['export const limit = (n: number) =>', '  n >= 3', '  && n < 9;', ''].join('\n');
const at = (line: number, from: number, to: number, endLine = line) => ({
  start: { line, column: from },
  end: { line: endLine, column: to },
});
const mutant = (status: string, location: ReturnType<typeof at>, replacement: string) => ({
  ...{ status, location, replacement, mutatorName: 'EqualityOperator' },
});
const report = (...mutants: readonly ReturnType<typeof mutant>[]) => ({
  files: { 'libs/a/src/limit.ts': { source, mutants } },
});

describe('the survivors of a report', () => {
  it('are the changes that no test noticed, and those that no test reached', () => {
    const found = survivorsOf(
      report(
        mutant('Survived', at(2, 3, 11, 3), 'true'),
        mutant('NoCoverage', at(2, 3, 9), 'n > 3'),
        mutant('Killed', at(2, 3, 9), 'n < 3'),
        mutant('Timeout', at(2, 3, 9), 'false'),
      ),
      reasonsIn([]),
    );
    expect(found.map(({ line, original, replacement, status }) => [line, original, replacement, status])).toEqual([
      [2, 'n >= 3 && n < 9', 'true', 'Survived'],
      [2, 'n >= 3', 'n > 3', 'NoCoverage'],
    ]);
    expect(found.map(lineOf)).toEqual([
      'survived  libs/a/src/limit.ts:2  n >= 3 && n < 9  →  true',
      'not reached  libs/a/src/limit.ts:2  n >= 3  →  n > 3',
    ]);
  });

  it('have the reason that is known of the same change of the same file, wherever it is now', () => {
    const known = {
      file: 'libs/a/src/limit.ts',
      original: 'n >= 3',
      replacement: 'n > 3',
      reason: 'three never comes',
    };
    const changes = report(mutant('Survived', at(2, 3, 9), 'n > 3'));
    expect(survivorsOf(changes, reasonsIn([known]))).toMatchObject([{ reason: 'three never comes' }]);
    for (const other of [{ file: 'libs/a/src/other.ts' }, { original: 'n > 3' }, { replacement: 'n < 3' }])
      expect(survivorsOf(changes, reasonsIn([{ ...known, ...other }]))[0]).not.toHaveProperty('reason');
  });

  it('have no reason at a further place with the same text, unless their entry counts it', () => {
    const known = {
      file: 'libs/a/src/limit.ts',
      original: 'n >= 3',
      replacement: 'n > 3',
      reason: 'three never comes',
    };
    const changes = report(mutant('Survived', at(2, 3, 9), 'n > 3'), mutant('Survived', at(2, 3, 9), 'n > 3'));
    const explained = (entry: typeof known & { readonly places?: number }) =>
      survivorsOf(changes, reasonsIn([entry])).filter(({ reason }) => reason !== undefined).length;
    expect([explained(known), explained({ ...known, places: 2 })]).toEqual([1, 2]);
  });
});

describe('the score of a folder', () => {
  const all = report(
    mutant('Killed', at(2, 3, 9), 'n < 3'),
    mutant('Timeout', at(2, 3, 9), 'false'),
    mutant('Survived', at(2, 3, 9), 'n > 3'),
    mutant('NoCoverage', at(2, 3, 9), 'true'),
    mutant('Ignored', at(1, 1, 9), '""'),
  );

  it('counts a survivor with a reason as noticed, and leaves out what was not judged', () => {
    const known = [
      { file: 'libs/a/src/limit.ts', original: 'n >= 3', replacement: 'n > 3', reason: 'three never comes' },
    ];
    const score = scoreOf('libs/a', all, survivorsOf(all, reasonsIn(known)), 'abc');
    expect(score).toEqual({
      subject: 'libs/a',
      judged: 4,
      noticed: 2,
      explained: 1,
      open: 1,
      notJudged: 1,
      commit: 'abc',
    });
    expect(tableOf([score]).split('\n').at(-1)).toBe('| `libs/a` | 4 | 2 | 1 | 1 | 1 | 75.0 % | abc |');
  });

  it('is absent where nothing was judged', () => {
    const none = scoreOf('libs/a', { files: {} }, [], 'abc');
    expect(tableOf([none])).toContain('| – |');
  });
});

it('keeps the rows of folders that were not judged again', () => {
  const score = (subject: string, commit: string) => scoreOf(subject, { files: {} }, [], commit);
  const before = tableOf([score('libs/a', 'old'), score('libs/c', 'old')]);
  const after = tableOf([score('libs/b', 'new'), score('libs/a', 'new')], before);
  const rows = after
    .split('\n')
    .slice(2)
    .map((row) => [row.split('`')[1], row.split(' | ').at(-1)]);
  expect(rows).toEqual([
    ['libs/a', 'new |'],
    ['libs/b', 'new |'],
    ['libs/c', 'old |'],
  ]);
});

it('plays the tests of the project that a folder belongs to', () => {
  expect(projectOf('services/operator/src/operations/domain')).toBe('services/operator');
  expect(projectOf('libs/contracts/operator/src/money.ts')).toBe('libs/contracts/operator');
  expect(projectOf('libs/durable/src/record')).toBe('libs/durable');
});
