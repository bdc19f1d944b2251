/**
 * docs/findings.md has one row for each defect that was found in the first version: the present behaviour, and the test
 * that proves it.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isHeld, root, rowsOf } from './tests-named';

/** How many findings have each prefix; they are numbered from 1 without gaps, and a number is never reused. */
const findings = { ARCH: 15, OPS: 141, PRV: 77, QB: 107, UX: 128, SEC: 64, PROD: 31, PROOF: 38 } as const;

const numbers = Object.entries(findings).flatMap(([prefix, count]) =>
  Array.from({ length: count }, (_, at) => `${prefix}-${String(at + 1).padStart(2, '0')}`),
);

interface Finding {
  readonly number: string;
  readonly line: string;
  readonly held: string;
  readonly commit: string;
}

const findingsOf = (markdown: string): Finding[] =>
  rowsOf(markdown.split('\n')).map(([number = '', line = '', held = '', commit = '']) => ({
    number,
    line,
    held,
    commit,
  }));

/** The errors of the page, one line each. */
function faultsOf(rows: readonly Finding[], known: readonly string[]): string[] {
  const times = (number: string): number => rows.filter((row) => row.number === number).length;
  return [
    ...known.filter((number) => times(number) === 0).map((number) => `${number} has no row`),
    ...known.filter((number) => times(number) > 1).map((number) => `${number} has more than one row`),
    ...rows.filter(({ number }) => !known.includes(number)).map(({ number }) => `${number} is no finding`),
    ...rows.filter(({ line }) => line === '').map(({ number }) => `${number} says nothing`),
    ...rows.filter(({ held }) => !isHeld(held)).map(({ number, held }) => `${number}: no such test: ${held}`),
    ...rows
      .filter(({ commit }) => !/^`?[0-9a-f]{7,40}`?$/.test(commit))
      .map(({ number, commit }) => `${number}: no commit: ${commit}`),
  ];
}

describe('docs/findings.md', () => {
  it('has a row for each finding, with a test that is there and a commit', () => {
    expect(faultsOf(findingsOf(readFileSync(join(root, 'docs/findings.md'), 'utf8')), numbers)).toEqual([]);
  });

  it('would be seen to lack a row, to have one twice, and to name no test, no commit or nothing at all', () => {
    const here = '`test/architecture/findings.spec.ts › has a row for each finding`';
    const rows = findingsOf(
      [
        '| Finding | What was wrong, and what holds now | Held by | Commit |\n| --- | --- | --- | --- |',
        `| A-01 | Held. | ${here} | 0123abc |`,
        `| A-02 | Twice. | ${here} | 0123abc |`,
        `| A-02 | Twice. | ${here} | 0123abc |`,
        '| A-03 | Renamed. | `test/architecture/house.spec.ts › a test of this name was never there` | 0123abc |',
        '| A-04 | Gone. | `test/gone/nothing.spec.ts › x` | 0123abc |',
        '| A-05 | Bare. | | 0123abc |',
        `| A-06 | Not committed. | ${here} | tomorrow |`,
        `| A-07 | | ${here} | 0123abc |`,
        `| B-01 | Unknown. | ${here} | 0123abc |`,
      ].join('\n'),
    );
    const known = ['A-01', 'A-02', 'A-03', 'A-04', 'A-05', 'A-06', 'A-07', 'A-08'];
    expect(faultsOf(rows, known).map((fault) => fault.replace(/(test|commit): .*/, '$1'))).toEqual([
      'A-08 has no row',
      'A-02 has more than one row',
      'B-01 is no finding',
      'A-07 says nothing',
      'A-03: no such test',
      'A-04: no such test',
      'A-05: no such test',
      'A-06: no commit',
    ]);
  });
});
