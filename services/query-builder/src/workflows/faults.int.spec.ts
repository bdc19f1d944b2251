import type { FileSystem } from '../store/file-system';
import { nodeFileSystem } from '../store/file-system';
import { openPageProject } from '../store/page-project';
import { ownIdentity } from '../store/process-identity';
import {
  builtInRegistry,
  dataOf,
  modelPath,
  openScratchProject,
  pagePath,
  type ScratchProject,
} from '../testing/scratch-project';
import { builderOver, createQueryBuilder } from './create-query-builder';
import { createLastSave, lastSaveOf, undoSave, withLastSave } from './undo-save';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

let scratch: ScratchProject;
beforeEach(async () => void (scratch = await openScratchProject()));
afterEach(() => scratch.remove());

const page = '/shop/orders';
const count = { name: 'fresh', resource: 'orders', template: 'count' } as const;

/** The builder over a file system with some replaced calls. */
async function builderOn(change: Partial<FileSystem>, timeoutMs?: number) {
  const project = await openPageProject(scratch.folder, {
    fs: { ...nodeFileSystem, ...change },
    ...(timeoutMs !== undefined && { timeoutMs }),
  });
  return createQueryBuilder(project, builtInRegistry());
}

/** Calls back when the draft of a file is opened: after the text was read, and before it is replaced. */
const whenDrafted = (file: string, act: () => void): Partial<FileSystem> => ({
  open: (async (path: string, ...rest: unknown[]) => {
    if (String(path).includes(`.${file}.`)) act();
    return (nodeFileSystem.open as (...args: unknown[]) => unknown)(path, ...rest);
  }) as FileSystem['open'],
});

const drafts = (): string[] =>
  readdirSync(scratch.folder, { recursive: true })
    .map(String)
    .filter((file) => file.endsWith('.draft') || file.endsWith('.owner') || file.endsWith('.note'));

describe('a person who saves a file while it is edited', () => {
  it.each([
    ['the page', 'page.ts', pagePath],
    ['the model', 'model.ts', modelPath],
  ])('keeps what he saved, and the builder takes its part back: %s', async (_what, file, path) => {
    const before = scratch.files();
    const saved = `${before[path]!}\n// saved by hand\n`;
    const builder = await builderOn(whenDrafted(file, () => scratch.write(path, saved)));
    const result = await builder.addQuery(page, count);
    expect(result).toMatchObject({ ok: false, error: { code: 'conflict' } });
    expect(scratch.files()).toEqual({ ...before, [path]: saved });
    expect(drafts()).toEqual([]);
  });

  it('does not bring an edit down that is done but for its tidying', async () => {
    dataOf(await scratch.builder.addQuery(page, count));
    const saved = `${scratch.read(modelPath)}\n// saved by hand\n`;
    const builder = await builderOn(whenDrafted('model.ts', () => scratch.write(modelPath, saved)));
    const { changes } = dataOf(await builder.removeQuery(`${page}@fresh`));
    expect(changes.map(({ path }) => path)).toEqual([pagePath]);
    expect(scratch.read(modelPath)).toBe(saved);
    expect(scratch.read(pagePath)).not.toContain('fresh');
  });
});

describe('a file system that gives out', () => {
  const failing = (code: string, file: string): Partial<FileSystem> => ({
    open: (async (path: string, ...rest: unknown[]) => {
      const handle = await (nodeFileSystem.open as (...args: unknown[]) => Promise<{ writeFile: unknown }>)(
        path,
        ...rest,
      );
      if (String(path).includes(`.${file}.`))
        handle.writeFile = () => Promise.reject(Object.assign(new Error(code), { code }));
      return handle;
    }) as FileSystem['open'],
  });

  it.each(['ENOSPC', 'EDQUOT', 'EIO', 'EROFS'])('is reported, and nothing stays behind: %s', async (code) => {
    for (const file of ['page.ts', 'model.ts']) {
      const before = scratch.files();
      expect(await (await builderOn(failing(code, file))).addQuery(page, count)).toMatchObject({
        ok: false,
        error: { code: 'unsupported' },
      });
      expect(scratch.files()).toEqual(before);
      expect(drafts()).toEqual([]);
    }
  });

  it('leaves a save whole whose undo it interrupts, and the save can be taken back later', async () => {
    const before = scratch.files();
    const last = createLastSave();
    const builder = withLastSave(builderOver(scratch.ports), last, () => new Date(0));
    dataOf(await builder.addQuery(page, count));
    const saved = scratch.files();
    const fs = { ...nodeFileSystem, ...failing('ENOSPC', 'model.ts') };
    const project = await openPageProject(scratch.folder, { fs });
    expect(await undoSave({ ...scratch.ports, project }, last)).toMatchObject({ error: { code: 'unsupported' } });
    expect(scratch.files()).toEqual(saved);
    expect(dataOf(await lastSaveOf(scratch.ports, last)).save).toBeDefined();
    dataOf(await undoSave(scratch.ports, last));
    expect(scratch.files()).toEqual(before);
  });
});

describe('a claim of another writer', () => {
  const claim = (owner: object | string): void => {
    mkdirSync(join(scratch.folder, '.builder'), { recursive: true });
    writeFileSync(
      join(scratch.folder, '.builder/pages+shop+orders+page.ts.owner'),
      typeof owner === 'string' ? owner : JSON.stringify({ nonce: 'other', ...owner }),
    );
  };

  it('is respected for as long as its process lives, and never outlived by time', async () => {
    claim(ownIdentity());
    const before = scratch.files();
    expect(await (await builderOn({}, 50)).addQuery(page, count)).toMatchObject({
      ok: false,
      error: { code: 'conflict', detail: expect.stringContaining('another writer') as string },
    });
    expect(scratch.files()).toEqual(before);
  });

  it('is respected when its process cannot be judged from here', async () => {
    for (const elsewhere of [{ machine: 'another' }, { namespace: 'another' }]) {
      claim({ ...ownIdentity(), pid: 999_999_999, ...elsewhere });
      expect(await (await builderOn({}, 30)).addQuery(page, count)).toMatchObject({
        ok: false,
        error: { code: 'conflict' },
      });
    }
  });

  it.each<[string, object | string]>([
    ['has ended', { ...ownIdentity(), pid: 999_999_999 }],
    ['had the id of one that lives now', { ...ownIdentity(), started: '1' }],
    ['ran before the machine was started again', { ...ownIdentity(), boot: 'earlier' }],
    ['lost its text with the power', ''],
  ])('is put away when its process %s', async (_what, owner) => {
    claim(owner);
    dataOf(await scratch.builder.addQuery(page, count));
    expect(drafts()).toEqual([]);
  });
});
