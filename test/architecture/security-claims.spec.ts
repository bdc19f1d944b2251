/** What docs/security.md claims is held by tests that it names: each paragraph names one, and each name leads to one. */
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(__dirname, '../..');
const document = readFileSync(join(root, 'docs/security.md'), 'utf8');
/** They name what there is to lose, draw a picture, or say what nothing holds. */
const withoutClaims = ['Assets', 'What remains'];

interface Claim {
  readonly section: string;
  readonly text: string;
}

/** Paragraphs and items of the sections that claim something, without tables, pictures and the words above a table. */
function claimsOf(markdown: string): Claim[] {
  const sections = markdown.replace(/^```[\s\S]*?^```$/gm, '').split(/^## /m);
  return sections.slice(1).flatMap((section) => {
    const [title = '', ...lines] = section.split('\n');
    if (withoutClaims.includes(title)) return [];
    const blocks = lines
      .join('\n')
      .split(/\n\s*\n|\n(?=\d+\. |- | {3}\S)/)
      .map((text) => text.trim())
      .filter((text) => text !== '' && !text.startsWith('|'));
    return blocks.map((text) => ({ section: title, text }));
  });
}

const namedIn = (text: string): string[] =>
  [...text.matchAll(/`((?:libs|services|infra|test|examples)\/[^`\s]+)`/g)].map(([, path = '']) => path);

/** Whether a suite is at the path, in the folder, or among the files that begin so. */
function holdsTests(path: string): boolean {
  const full = join(root, path);
  if (path.endsWith('.spec.ts')) return existsSync(full);
  if (existsSync(full) && statSync(full).isDirectory())
    return readdirSync(full, { recursive: true }).some((name) => String(name).endsWith('.spec.ts'));
  return ['.unit.spec.ts', '.int.spec.ts', '.e2e.spec.ts', '.spec.ts'].some((ending) => existsSync(full + ending));
}

const isSource = (path: string): boolean => /\.(ts|mjs|yaml|json|conf)$|\/$/.test(path) && !path.endsWith('.spec.ts');

const unheld = (claims: readonly Claim[]): string[] =>
  claims
    .filter(({ text }) => !namedIn(text).some(holdsTests))
    .map(({ section, text }) => `${section}: ${text.slice(0, 80)}`);

describe('docs/security.md', () => {
  const claims = claimsOf(document);

  it('claims nothing without the name of a test', () => {
    expect(claims.length).toBeGreaterThan(15);
    expect(unheld(claims)).toEqual([]);
  });

  it('names only what is there', () => {
    const named = namedIn(document);
    expect(named.length).toBeGreaterThan(20);
    const lost = named.filter((path) => (isSource(path) ? !existsSync(join(root, path)) : !holdsTests(path)));
    expect(lost).toEqual([]);
  });

  it('would be seen to claim without a test, or with one that is gone', () => {
    const spoilt =
      '## Boundaries\n\n1. Nobody gets in.\n2. Held → `test/gone/nothing.e2e.spec.ts`.\n3. Held → `test/security`.\n';
    expect(unheld(claimsOf(spoilt))).toEqual([
      'Boundaries: 1. Nobody gets in.',
      'Boundaries: 2. Held → `test/gone/nothing.e2e.spec.ts`.',
    ]);
  });
});
