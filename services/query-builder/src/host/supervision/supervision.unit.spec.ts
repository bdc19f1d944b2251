import type { Compilation } from '../project/compile-pages';
import { oneAtATime } from './one-at-a-time';
import { createPageVersions } from './page-versions';

const page = (pageRef: string, version: string) => ({
  pageRef,
  version,
  file: `pages${pageRef}/page.ts`,
  code: '',
  map: '',
});
const broken = (pageRef: string) => ({ pageRef, file: `pages${pageRef}/page.ts`, line: 7, message: 'Unexpected' });
const compilation = (pages: Compilation['pages'], problems: Compilation['problems'] = []): Compilation => ({
  pages,
  problems,
});

describe('the versions of pages', () => {
  it('fall back on the one that was served last, and load nothing anew for a page that does not compile', () => {
    const versions = createPageVersions();
    const first = compilation([page('/a', '1'), page('/b', '1')]);
    expect(versions.differ(first)).toBe(true);
    versions.candidates(first);
    versions.served(first, first.pages, []);
    const second = compilation([page('/b', '1')], [broken('/a')]);
    expect(versions.differ(second)).toBe(false);
    expect(versions.problems(second)).toEqual([{ ...broken('/a'), serving: 'last_good_version' }]);
    const third = compilation([page('/b', '2')], [broken('/a')]);
    expect(versions.differ(third)).toBe(true);
    expect(versions.candidates(third)).toEqual([
      { pageRef: '/a', lastGood: page('/a', '1') },
      { pageRef: '/b', newest: page('/b', '2'), lastGood: page('/b', '1') },
    ]);
  });

  it('forget a page that is gone', () => {
    const versions = createPageVersions();
    const first = compilation([page('/a', '1')]);
    versions.served(first, first.pages, []);
    expect(versions.differ(compilation([]))).toBe(true);
    expect(versions.candidates(compilation([]))).toEqual([]);
  });

  it('leave out a version whose code ended its process, until it changes', () => {
    const versions = createPageVersions();
    const first = compilation([page('/a', '1'), page('/b', '1')]);
    expect(versions.blame(first, { pageRef: '/a', version: '1' }, 'it ended the process')).toBe(true);
    expect(versions.blame(first, { pageRef: '/a', version: '1' }, 'again')).toBe(false);
    expect(versions.blame(first, { pageRef: '/c', version: '1' }, 'unknown')).toBe(false);
    expect(versions.candidates(first)).toEqual([{ pageRef: '/a' }, { pageRef: '/b', newest: page('/b', '1') }]);
    versions.served(first, [page('/b', '1')], []);
    expect(versions.problems(first)).toEqual([
      expect.objectContaining({ pageRef: '/a', message: 'it ended the process', serving: 'nothing' }),
    ]);
    expect(versions.candidates(compilation([page('/a', '2')]))).toEqual([{ pageRef: '/a', newest: page('/a', '2') }]);
  });
});

describe('work that runs one at a time', () => {
  it('runs once more for all calls that came meanwhile, and they see what happened before them', async () => {
    let state = 0;
    let running = 0;
    const opened: (() => void)[] = [];
    const run = oneAtATime(async () => {
      expect((running += 1)).toBe(1);
      const seen = state;
      await new Promise<void>((resolve) => opened.push(resolve));
      running -= 1;
      return seen;
    });
    const first = run();
    state = 1;
    const later = [run(), run(), run()];
    opened.shift()!();
    expect(await first).toBe(0);
    while (opened.length === 0) await Promise.resolve();
    opened.shift()!();
    expect(await Promise.all(later)).toEqual([1, 1, 1]);
    expect(opened).toHaveLength(0);
  });

  it('runs again after a failure', async () => {
    let fails = true;
    const run = oneAtATime(async () => {
      if (fails) throw new Error('once');
      return 'done';
    });
    await expect(run()).rejects.toThrow('once');
    fails = false;
    expect(await run()).toBe('done');
  });
});
