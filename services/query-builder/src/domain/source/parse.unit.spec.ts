/** Syntax trees are cached for the next edit, and only as many as fit into a small heap. */
import { parseSource } from './parse';

const large = (number: number): string =>
  `export const all${number} = [\n${Array.from({ length: 20_000 }, (_none, at) => `  ${number + at},\n`).join('')}];\n`;

describe('trees of sources', () => {
  it('are kept for the edit that follows', () => {
    const text = large(1);
    expect(parseSource('a.ts', text)).toBe(parseSource('a.ts', text));
    expect(parseSource('b.ts', text)).not.toBe(parseSource('a.ts', text));
  });

  it('are let go when newer ones of large files come, whose trees are many times their text', () => {
    const [first, ...others] = Array.from({ length: 6 }, (_none, at) => large(at * 100_000));
    const tree = parseSource('a.ts', first!);
    for (const text of others) parseSource('a.ts', text);
    const last = parseSource('a.ts', others.at(-1)!);
    expect(parseSource('a.ts', others.at(-1)!)).toBe(last);
    expect(parseSource('a.ts', first!)).not.toBe(tree);
  });
});
