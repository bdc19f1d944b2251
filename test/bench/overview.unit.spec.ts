import { findRoot } from '../../infra/local/settings';
import { overviewOf, withOverview } from './overview';
import { versionsOf, withVersions } from './versions';

const document = [
  '# Tables of the benchmarks',
  '<!-- bench operations -->',
  '| in flight | ratio | p99 ratio |',
  '|----------:|------:|----------:|',
  '| 1 | 0.91 | 1.10 |',
  '| 32 | 0.80 | 1.20 |',
  '',
  'Notes.',
  '',
  'Measured at 2880a63c on 21 November 2026; again: `npm run bench -- operations`.',
  '<!-- end operations -->',
  '<!-- bench peers -->',
  '| who | in flight | ours : theirs |',
  '|-----|---|--------:|',
  '| this platform | 1 | 1.00 |',
  '| DBOS | 1 | 1.40 |',
  '| Restate | 1 | 1.20 |',
  '| this platform | 32 | 1.00 |',
  '| DBOS | 32 | 0.90 |',
  '<!-- end peers -->',
  '<!-- bench builder -->',
  '| edit | project | p50 ms | to 1 page |',
  '|---|---|---|---|',
  '| AddQuery | 1,000 pages | 7.5 | 0.83 |',
  '| AddQuery | 1 page, a model with 1,000 methods | 32.9 | 3.61 |',
  '<!-- end builder -->',
].join('\n');

describe('the overview of the benches', () => {
  it('puts the worst row of each bench beside its goal, and says what has not been measured', () => {
    const lines = overviewOf(document).split('\n');
    const lineOf = (what: string) => lines.find((line) => line.includes(what));
    expect(lineOf('throughput of credits')).toMatch(/≥ 0.85 \| +0.8 \| +no \| +2880a63c \|/);
    expect(lineOf('p99 of credits')).toMatch(/≤ 1.30 \| +1.2 \| +yes \|/);
    expect(lineOf('the faster peer, 1 in flight')).toMatch(/> 1.00 \| +1.2 \| +yes \|/);
    expect(lineOf('the faster peer, 32 in flight')).toMatch(/> 1.00 \| +0.9 \| +no \|/);
    expect(lineOf('AddQuery beside')).toMatch(/0.83 \| +yes \|/);
    expect(lineOf('beside up to 1,000 pages')).toMatch(/≤ 25 \| +7.5 \| +yes \|/);
    expect(lineOf('with 1,000 methods')).toMatch(/≤ 60 \| +32.9 \| +yes \|/);
    expect(lineOf('signed events')).toMatch(/not measured \| +– \| +unknown \|/);
  });

  it('replaces its own section and nothing else', () => {
    const page = '# Benchmarks\n<!-- bench overview -->\nold\n<!-- end overview -->\nrest';
    const drawn = withOverview(page, document);
    expect(drawn).toBe(`# Benchmarks\n<!-- bench overview -->\n${overviewOf(document)}\n<!-- end overview -->\nrest`);
    expect(withOverview(drawn, document)).toBe(drawn);
  });
});

describe('the versions beside the figures', () => {
  it('are between their marks, read from what is installed', () => {
    const versions = versionsOf(findRoot(__dirname));
    expect(versions).toMatch(/^Node \d+\.\d+\.\d+; mongodb \d+\..*; nats-server .*cores/);
    const marked = '# Benchmarks\n<!-- bench versions -->\nold\n<!-- end versions -->\nrest';
    expect(withVersions(marked, versions)).toBe(
      `# Benchmarks\n<!-- bench versions -->\n${versions}\n<!-- end versions -->\nrest`,
    );
  });
});
