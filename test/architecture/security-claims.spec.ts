/** Every claim of docs/security.md names tests that prove it: one claim a row, and each name leads to a test. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isHeld, root, rowsOf } from './tests-named';

const document = readFileSync(join(root, 'docs/security.md'), 'utf8');
/** Sections without claims: what can be lost, what was measured once, or what no test covers. */
const withoutClaims = ['Assets', 'Figures of the red team', 'What remains'];
/** Sentences that introduce a table of these sections, and claim nothing beyond it. */
const introduced = ["Roles of the platform's people"];

interface Row {
  readonly section: string;
  readonly claim: string;
  readonly held: string;
}

interface Section {
  readonly title: string;
  readonly rows: readonly Row[];
  /** Lines that are not rows, headings or pictures. */
  readonly prose: readonly string[];
}

function sectionsOf(markdown: string): Section[] {
  const parts = markdown.replace(/^```[\s\S]*?^```$/gm, '').split(/^## /m);
  return parts.slice(1).flatMap((part) => {
    const [title = '', ...lines] = part.split('\n');
    if (withoutClaims.includes(title)) return [];
    const rows = rowsOf(lines).map((cells) => ({ section: title, claim: cells[0] ?? '', held: cells.at(-1) ?? '' }));
    const prose = lines.filter((line) => line.trim() !== '' && !line.startsWith('|') && !line.startsWith('###'));
    return [{ title, rows, prose }];
  });
}

/** Rows that name no test, or a test that does not exist. */
const unheld = (sections: readonly Section[]): string[] =>
  sections.flatMap(({ rows }) =>
    rows
      .filter(({ held }) => !isHeld(held))
      .map(({ section, claim, held }) => `${section}: ${claim} ← ${held || 'nothing'}`),
  );

/** A second sentence in a row could be a claim that no test proves. */
const crowded = (sections: readonly Section[]): string[] =>
  sections.flatMap(({ rows }) => rows.map(({ claim }) => claim).filter((claim) => /[.;] [A-Z]/.test(claim)));

const besideRows = (sections: readonly Section[]): string[] =>
  sections.flatMap(({ title, prose }) => (introduced.includes(title) ? [] : prose.map((line) => `${title}: ${line}`)));

describe('docs/security.md', () => {
  const sections = sectionsOf(document);

  it('claims nothing without a test that is there', () => {
    expect(sections.flatMap(({ rows }) => rows).length).toBeGreaterThan(80);
    expect(unheld(sections)).toEqual([]);
  });

  it('claims one thing a row, and nothing beside the rows', () => {
    expect(crowded(sections)).toEqual([]);
    expect(besideRows(sections)).toEqual([]);
  });

  it('names only files that are there', () => {
    const paths = [...document.matchAll(/`((?:libs|services|infra|test|examples)\/[^`\s]+)`/g)];
    expect(paths.map(([, path = '']) => path).filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  it('would be seen to claim without a test, with one that is gone, or twice in a row', () => {
    const here = '`test/architecture/security-claims.spec.ts › claims one thing a row`';
    const spoilt = sectionsOf(
      [
        '## Boundaries\n\nNo caller gets in.\n\n| Claim | Held by |\n| --- | --- |',
        `| Held. | ${here} |`,
        '| Bare. | |',
        '| Gone. | `test/gone/nothing.spec.ts › x` |',
        '| Renamed. | `test/architecture/house.spec.ts › a test of this name was never there` |',
        `| One. Another. | ${here} |\n`,
      ].join('\n'),
    );
    expect(unheld(spoilt).map((each) => each.split(' ←')[0])).toEqual([
      'Boundaries: Bare.',
      'Boundaries: Gone.',
      'Boundaries: Renamed.',
    ]);
    expect(crowded(spoilt)).toEqual(['One. Another.']);
    expect(besideRows(spoilt)).toEqual(['Boundaries: No caller gets in.']);
  });
});
