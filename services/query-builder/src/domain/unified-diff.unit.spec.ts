import fc from 'fast-check';
import { unifiedDiff } from './unified-diff';

/** Applies a unified diff, strictly. */
function apply(before: string, diff: string): string {
  const lines = before === '' ? [] : before.replace(/\n$/, '').split('\n');
  const after: string[] = [];
  let at = 0;
  for (const line of diff.split('\n').slice(2, -1)) {
    const head = /^@@ -(\d+),(\d+) \+\d+,\d+ @@$/.exec(line);
    if (head) {
      const start = Number(head[1]) - (head[2] === '0' ? 0 : 1);
      after.push(...lines.slice(at, start));
      at = start;
    } else if (line.startsWith('+')) after.push(line.slice(1));
    else {
      expect(lines[at]).toBe(line.slice(1));
      if (line.startsWith(' ')) after.push(line.slice(1));
      at += 1;
    }
  }
  after.push(...lines.slice(at));
  return after.length === 0 ? '' : `${after.join('\n')}\n`;
}

describe('a unified diff', () => {
  const text = fc
    .array(fc.constantFrom('a', 'b', 'c', '  }', ''), { maxLength: 40 })
    .map((lines) => lines.map((line) => `${line}\n`).join(''));

  it('turns one text into the other', () => {
    fc.assert(
      fc.property(text, text, (before, after) =>
        expect(before === after ? before : apply(before, unifiedDiff('x.ts', before, after))).toBe(after),
      ),
      { numRuns: 300 },
    );
  });

  it('shows three lines around a change and nothing else', () => {
    const before = Array.from({ length: 20 }, (_, index) => `${index}\n`).join('');
    expect(unifiedDiff('x.ts', before, before.replace('10\n', 'ten\n'))).toBe(
      '--- a/x.ts\n+++ b/x.ts\n@@ -8,7 +8,7 @@\n 7\n 8\n 9\n-10\n+ten\n 11\n 12\n 13\n',
    );
    expect(unifiedDiff('x.ts', before, before)).toBe('');
  });
});
