/** Pages that import an edited file are tried in groups, and a newer edit comes before the next group. */
import type { CompiledPage } from '../project/compiled-page';
import { createTries } from './try-pages';

const pages = Array.from({ length: 60 }, (_none, at): CompiledPage => {
  const pageRef = `/p${at}`;
  return { pageRef, file: `pages${pageRef}/page.ts`, version: '1', files: [] };
});

function tries() {
  const asked: number[] = [];
  const judged = new Set<string>();
  const trial = {
    async judge(given: readonly CompiledPage[]) {
      asked.push(given.length);
      return given.map(({ pageRef, file }) => ({
        kind: 'bad' as const,
        problem: { pageRef, file, line: 1, message: 'none' },
      }));
    },
  };
  return { ...createTries(trial, { judge: ({ pageRef }) => void judged.add(pageRef) }), asked, judged };
}

describe('the trial of many pages', () => {
  it('comes to an end where no newer edit comes', async () => {
    const { judgeUntil, asked, judged } = tries();
    await judgeUntil(() => false, pages);
    expect(judged.size).toBe(60);
    expect(asked).toEqual([25, 25, 10]);
  });

  it('lets a newer edit pass, and keeps what it has tried', async () => {
    const { judgeUntil, asked, judged } = tries();
    await judgeUntil(() => asked.length === 1, pages);
    expect(judged.size).toBe(25);
    await judgeUntil(
      () => false,
      pages.filter(({ pageRef }) => !judged.has(pageRef)),
    );
    expect(judged.size).toBe(60);
  });

  it('asks for nothing where no page is left', async () => {
    const { judge, asked } = tries();
    await judge([]);
    expect(asked).toEqual([]);
  });
});
