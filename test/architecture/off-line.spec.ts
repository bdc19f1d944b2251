/**
 * Specification §1.4: no endpoint forces success, replays an effect or records a resolution. The code that does so is
 * not in the program of a service: only the off-line programs contain it.
 */
import { importGraph } from './imports';
import { files, text } from './tree';

const graph = importGraph();

/** Work that only people may do, by the calls that do it. */
const ofPeople =
  /\b(defineInvestigation|resolveOffline|runOffline|recordInstanceGone|redriveLetter|closeLetter|closeContradiction|waiveDelivery|waiveConsumer)\(/;

/** The service sources that are bundled into a program. */
function sourcesOf(program: string): string[] {
  const seen = new Set([program]);
  for (const file of seen) for (const next of graph.get(file) ?? []) seen.add(next);
  return [...seen].filter((file) => file.startsWith('services/'));
}

const programs = (name: string) => files().filter((file) => new RegExp(`^services/[^/]+/src/${name}\\.ts$`).test(file));
const resolving = (program: string) => sourcesOf(program).filter((file) => ofPeople.test(text(file)));

describe('the program that serves', () => {
  it.each(programs('main'))('%s holds nothing that resolves, replays or waives', (program) => {
    expect(sourcesOf(program).length).toBeGreaterThan(5);
    expect(resolving(program)).toEqual([]);
  });

  it('differs in that from the off-line program of the same service', () => {
    const offLine = programs('ops');
    expect(offLine.length).toBeGreaterThan(3);
    expect(offLine.filter((program) => resolving(program).length === 0)).toEqual([]);
    // Each kind of investigation is in one of them.
    const declared = files().filter((file) => /^services\/.*\.ts$/.test(file) && !/\.spec\.ts$/.test(file));
    const investigations = declared.filter((file) => /\bdefineInvestigation\(/.test(text(file)));
    const reached = new Set(offLine.flatMap(resolving));
    expect(investigations.length).toBeGreaterThan(5);
    expect(investigations.filter((file) => !reached.has(file))).toEqual([]);
  });
});

describe('the page of operations', () => {
  it('names every trail that the off-line programs verify', () => {
    const verified = programs('ops').flatMap((program) =>
      [...text(program).matchAll(/([\w-]+)'?: \(store, expectedHash\) =>/g)].map(([, trail]) => trail),
    );
    expect(verified.length).toBeGreaterThan(7);
    const [, named = ''] = /reads every trail: (.*?)\. It ends with/.exec(text('docs/operations.md')) ?? [];
    expect(verified.filter((trail) => !named.includes(`\`${trail}\``))).toEqual([]);
  });
});

describe('a program that writes subscriptions', () => {
  /**
   * The declaration, the file through which all writes announce, and the composition root that builds it over a relay.
   */
  const doors = [
    'services/operator/src/access/workflows/announce-access.ts',
    'services/operator/src/compose.ts',
    'services/operator/src/mirror/store/subscriptions.ts',
  ];

  it('comes to them through the door that announces a change of access', () => {
    const sources = files().filter((file) => /^services\/operator\/src\/.*\.ts$/.test(file));
    const product = sources.filter((file) => !/\.spec\.ts$|\/testing\//.test(file));
    expect(product.filter((file) => /\bsubscriptionsCollection\b/.test(text(file))).sort()).toEqual(doors);
  });
});
