import type { CompiledPage } from './compiled-page';
import type { Verdict } from './judge-page';
import { createPageCatalog, type PositionOf, type PageCatalog } from './page-catalog';

const page = (pageRef: string, version: string): CompiledPage => ({
  pageRef,
  version,
  file: `pages${pageRef}/page.ts`,
  files: [],
});
const problemOf = (pageRef: string, message = 'Unexpected') => ({
  pageRef,
  file: `pages${pageRef}/page.ts`,
  line: 7,
  message,
});
const good = (...patterns: readonly string[]): Verdict => ({
  kind: 'good',
  title: 'Page',
  permission: 'p',
  addresses: patterns.map((pattern, at) => ({ pattern, place: String(at + 1) })),
  tenantTables: [],
  ran: '',
});
const positionOf: PositionOf = (_page, place) => ({ file: 'pages/x/page.ts', line: Number(place) });
const bad = (pageRef: string): Verdict => ({ kind: 'bad', problem: problemOf(pageRef) });

/** Judges pages as the test specifies and decides; returns the names of pages that are set, gone and unloaded. */
function settle(
  catalog: PageCatalog,
  pages: readonly (readonly [CompiledPage, Verdict])[],
  broken: readonly string[] = [],
) {
  const compilation = {
    pages: pages.map(([each]) => each),
    problems: broken.map((pageRef) => problemOf(pageRef)),
  };
  for (const [each, verdict] of pages) catalog.judge(each, verdict);
  const { set, gone, unloaded } = catalog.settle(compilation);
  return [set.map(({ compiled }) => `${compiled.pageRef}@${compiled.version}`), gone, unloaded];
}

describe('the catalog of pages', () => {
  it('changes what was edited, and nothing else', () => {
    const catalog = createPageCatalog(positionOf);
    const [a, b] = [page('/a', '1'), page('/b', '1')];
    expect(
      settle(catalog, [
        [a, good('/a')],
        [b, good('/b')],
      ]),
    ).toEqual([['/a@1', '/b@1'], [], []]);
    expect(
      settle(catalog, [
        [a, good('/a')],
        [page('/b', '2'), good('/b')],
      ]),
    ).toEqual([['/b@2'], [], []]);
    expect(settle(catalog, [[page('/b', '2'), good('/b')]])).toEqual([[], ['/a'], []]);
    expect(settle(catalog, [[page('/b', '2'), good('/b')]])).toEqual([[], [], []]);
  });

  it('falls back on the version that was served last, whether the newest does not compile or does not load', () => {
    const catalog = createPageCatalog(positionOf);
    settle(catalog, [[page('/a', '1'), good('/a')]]);
    expect(settle(catalog, [], ['/a'])).toEqual([[], [], []]);
    expect(catalog.problems()).toEqual([{ ...problemOf('/a'), serving: 'last_good_version' }]);
    expect(settle(catalog, [[page('/a', '2'), bad('/a')]])).toEqual([[], [], []]);
    expect(catalog.served().map(({ compiled }) => compiled.version)).toEqual(['1']);
    expect(settle(catalog, [[page('/a', '3'), good('/a')]])).toEqual([['/a@3'], [], []]);
    expect(catalog.problems()).toEqual([]);
  });

  it('has nothing for a page that never loaded, and says so', () => {
    const catalog = createPageCatalog(positionOf);
    expect(settle(catalog, [[page('/a', '1'), bad('/a')]], ['/b'])).toEqual([[], [], ['/a', '/b']]);
    expect(catalog.problems().map(({ pageRef, serving }) => [pageRef, serving])).toEqual([
      ['/a', 'nothing'],
      ['/b', 'nothing'],
    ]);
  });

  it('asks for a verdict once per version', () => {
    const catalog = createPageCatalog(positionOf);
    const compilation = { pages: [page('/a', '1'), page('/b', '1')], problems: [] };
    catalog.judge(page('/a', '1'), good('/a'));
    expect(catalog.unjudged(compilation).map(({ pageRef }) => pageRef)).toEqual(['/b']);
  });

  it('serves what was edited before it has tried those that only import it', () => {
    const file = (path: string, code: string) => ({ path, version: code, code });
    const [a, b] = ['/a', '/b'].map((ref) => ({
      ...page(ref, '1'),
      files: [file(`pages${ref}/page.ts`, 'x'), file('m.ts', 'm')],
    }));
    const catalog = createPageCatalog(positionOf);
    settle(catalog, [
      [a!, good('/a')],
      [b!, good('/b')],
    ]);
    const edited = { ...a!, version: '2', files: [file('pages/a/page.ts', 'y'), file('m.ts', 'n')] };
    const importing = { ...b!, version: '2', files: [b!.files[0]!, file('m.ts', 'n')] };
    expect([edited, importing].map((each) => catalog.isEdited(each))).toEqual([true, false]);
    catalog.judge(edited, good('/a'));
    const compilation = { pages: [edited, importing], problems: [] };
    expect(catalog.settle(compilation).set.map(({ compiled }) => compiled.pageRef)).toEqual(['/a']);
    expect(catalog.problems()).toEqual([]);
    catalog.judge(importing, good('/b'));
    expect(catalog.settle(compilation).set.map(({ compiled }) => compiled.pageRef)).toEqual(['/b']);
  });

  it('leaves an address to the page that was served with it, and names the place of the newcomer', () => {
    const catalog = createPageCatalog(positionOf);
    settle(catalog, [[page('/b', '1'), good('/b', '/x/:')]]);
    expect(
      settle(catalog, [
        [page('/a', '1'), good('/a', '/x/:')],
        [page('/b', '1'), good('/b', '/x/:')],
      ]),
    ).toEqual([[], [], ['/a']]);
    expect(catalog.problems()).toEqual([
      {
        pageRef: '/a',
        file: 'pages/x/page.ts',
        line: 2,
        message: 'the address /x/: is taken by the page /b',
        serving: 'nothing',
      },
    ]);
    expect(settle(catalog, [[page('/a', '1'), good('/a', '/x/:')]])).toEqual([['/a@1'], ['/b'], []]);
  });

  it('refuses a page that claims one address twice', () => {
    const catalog = createPageCatalog(positionOf);
    settle(catalog, [[page('/a', '1'), good('/a', '/a/x', '/a/x')]]);
    expect(catalog.problems()[0]?.message).toBe('the address /a/x is taken by the page /a');
  });
});
