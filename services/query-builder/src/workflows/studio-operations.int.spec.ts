/** The studio's operations besides the six of the specification: review, drafts, undo, history, adoption. */
import { execFileSync } from 'node:child_process';
import { gitHistory } from '../store/git-history';
import { dataOf, modelPath, openScratchProject, pagePath, type ScratchProject } from '../testing/scratch-project';
import { count, ordersPage as page } from '../testing/refusals';
import { adoptQuery, proposeAdoption } from './adopt-query';
import { builderOver } from './create-query-builder';
import { discardDraft, listDrafts, publishDraft, saveDraft, unpublishQuery } from './drafts';
import { queryHistory } from './query-history';
import { reviewEdit } from './review-edit';
import { createLastSave, lastSaveOf, undoSave, withLastSave } from './undo-save';

let scratch: ScratchProject;
beforeEach(async () => void (scratch = await openScratchProject()));
afterEach(() => scratch.remove());

const now = () => new Date('2026-06-01T10:00:00Z');
const queryOf = async (name: string) =>
  dataOf(await scratch.builder.getPageStructure(page)).queries.find((query) => query.name === name);

describe('a review', () => {
  it('shows whole files as the edit then writes them, and writes nothing', async () => {
    const before = scratch.files();
    const edit = { kind: 'add', pageRef: page, input: count({ name: 'gifts' }) } as const;
    const { files } = dataOf(await reviewEdit(scratch.ports, edit));
    expect(scratch.files()).toEqual(before);
    expect(files.map(({ path, before: text }) => [path, text])).toEqual([
      [modelPath, before[modelPath]],
      [pagePath, before[pagePath]],
    ]);
    dataOf(await scratch.builder.addQuery(page, edit.input));
    expect(files.map(({ text }) => text)).toEqual([scratch.read(modelPath), scratch.read(pagePath)]);
  });

  it('refuses what the edit refuses, a version that has passed included', async () => {
    const edit = { kind: 'configure', query: `${page}@openOrders`, patch: { template: 'none' } } as const;
    expect(await reviewEdit(scratch.ports, edit)).toMatchObject({
      error: { code: 'invalid_config', issues: [{ pointer: '/template' }] },
    });
    expect(await reviewEdit(scratch.ports, edit, 'old')).toMatchObject({ error: { code: 'conflict' } });
  });
});

describe('a draft', () => {
  const drafts = () => ({ ...scratch.ports, now, newId: () => 'one' });

  it('is seen by no page until it is published, and is gone then', async () => {
    const input = count({ name: 'gifts' });
    const draft = dataOf(await saveDraft(drafts(), { pageRef: page, input }, 'kim'));
    expect(draft).toEqual({
      id: 'one',
      revision: 1,
      pageRef: page,
      input,
      author: 'kim',
      savedAt: now().toISOString(),
    });
    expect(await queryOf('gifts')).toBeUndefined();
    dataOf(await publishDraft(scratch.ports, 'one'));
    expect(await queryOf('gifts')).toMatchObject({ opaque: false });
    expect(dataOf(await listDrafts(scratch.ports)).drafts).toEqual([]);
  });

  it('has one state of two authors: the second learns of the first', async () => {
    const saved = dataOf(await saveDraft(drafts(), { pageRef: page, input: count({ name: 'gifts' }) }, 'kim'));
    const next = { id: saved.id, revision: 1, pageRef: page, input: count({ name: 'presents' }) };
    const answers = await Promise.all([saveDraft(drafts(), next, 'ann'), saveDraft(drafts(), next, 'bob')]);
    expect(answers.map(({ ok }) => ok).sort()).toEqual([false, true]);
    expect(answers.find(({ ok }) => !ok)).toMatchObject({ error: { code: 'conflict', currentVersion: '2' } });
  });

  it('of a query that is there already ends when it is published again', async () => {
    const input = count({ name: 'gifts' });
    dataOf(await scratch.builder.addQuery(page, input));
    dataOf(await saveDraft(drafts(), { pageRef: page, input }, 'kim'));
    expect(dataOf(await publishDraft(scratch.ports, 'one'))).toEqual({
      query: `${page}@gifts`,
      route: '/dms/pages/shop/orders/stats/gifts',
      changes: [],
    });
    expect(dataOf(await listDrafts(scratch.ports)).drafts).toEqual([]);
  });

  it('is kept when the page refuses it', async () => {
    dataOf(await saveDraft(drafts(), { pageRef: page, input: count({ name: 'openOrders' }) }, 'kim'));
    expect(await publishDraft(scratch.ports, 'one')).toMatchObject({ error: { code: 'duplicate_name' } });
    expect(dataOf(await listDrafts(scratch.ports)).drafts).toHaveLength(1);
    dataOf(await discardDraft(scratch.ports, 'one'));
  });

  it('comes from a query that is unpublished, and gives the same source back', async () => {
    const before = await queryOf('openOrders');
    const draft = dataOf(await unpublishQuery(drafts(), `${page}@openOrders`, 'kim'));
    expect(await queryOf('openOrders')).toBeUndefined();
    dataOf(await publishDraft(scratch.ports, draft.id));
    expect(await queryOf('openOrders')).toEqual(before);
  });

  it('is refused when its file was broken by hand, and the file is left', async () => {
    dataOf(await saveDraft(drafts(), { pageRef: page, input: count({ name: 'gifts' }) }, 'kim'));
    scratch.write('.builder/drafts.json', '[{');
    expect(await listDrafts(scratch.ports)).toMatchObject({ error: { code: 'source_error' } });
    expect(await saveDraft(drafts(), { pageRef: page, input: count({ name: 'x' }) }, 'kim')).toMatchObject({
      ok: false,
    });
    expect(scratch.read('.builder/drafts.json')).toBe('[{');
  });
});

describe('the undo of a save', () => {
  it('gives every byte back', async () => {
    const before = scratch.files();
    const last = createLastSave();
    const builder = withLastSave(builderOver(scratch.ports), last, now);
    const edits = [
      () => builder.addQuery(page, count({ name: 'gifts' })),
      () => builder.configureQuery(`${page}@monthlyRevenue`, { params: { groupBy: 'status' }, compare: false }),
      () => builder.removeQuery(`${page}@openOrders`),
    ];
    for (const edit of edits) {
      dataOf<unknown>(await edit());
      expect(scratch.files()).not.toEqual(before);
      expect(dataOf(await lastSaveOf(scratch.ports, last)).save).toBeDefined();
      dataOf(await undoSave(scratch.ports, last));
      expect(scratch.files()).toEqual(before);
    }
    expect(dataOf(await lastSaveOf(scratch.ports, last))).toEqual({});
  });

  it.each([null, [], 'gifts', 5])('leaves the refusal of the input %j to the operation', async (input) => {
    const builder = withLastSave(builderOver(scratch.ports), createLastSave(), now);
    expect(await builder.addQuery(page, input as never)).toMatchObject({ error: { code: 'invalid_config' } });
  });

  it('takes back no later save of another author than the one that was seen', async () => {
    let minute = 0;
    const last = createLastSave();
    const builder = withLastSave(builderOver(scratch.ports), last, () => new Date((minute += 60_000)));
    dataOf(await builder.addQuery(page, count({ name: 'gifts' })));
    const seen = dataOf(await lastSaveOf(scratch.ports, last)).save!;
    dataOf(await builder.configureQuery(`${page}@gifts`, { endpoint: '/stats/of-another' }));
    const saved = scratch.files();
    expect(await undoSave(scratch.ports, last, seen.savedAt)).toMatchObject({ error: { code: 'conflict' } });
    expect(scratch.files()).toEqual(saved);
    const now = dataOf(await lastSaveOf(scratch.ports, last)).save!;
    dataOf(await undoSave(scratch.ports, last, now.savedAt));
    expect(scratch.files()).not.toEqual(saved);
  });

  it('is refused once a person edited what was written, and changes nothing', async () => {
    const last = createLastSave();
    const builder = withLastSave(builderOver(scratch.ports), last, now);
    dataOf(await builder.addQuery(page, count({ name: 'gifts' })));
    scratch.write(pagePath, `${scratch.read(pagePath)}// mine\n`);
    const edited = scratch.files();
    expect(dataOf(await lastSaveOf(scratch.ports, last))).toEqual({});
    expect(await undoSave(scratch.ports, last)).toMatchObject({ error: { code: 'conflict' } });
    expect(scratch.files()).toEqual(edited);
  });
});

describe('the history of a query', () => {
  const git = (...args: string[]): string =>
    execFileSync('git', ['-C', scratch.folder, '-c', 'user.name=Kim', '-c', 'user.email=kim@example.com', ...args], {
      encoding: 'utf8',
    });

  it('names the commits that changed its route or its chain, and no others', async () => {
    git('init', '-q');
    git('add', '-A');
    git('commit', '-qm', 'begin');
    dataOf(await scratch.builder.addQuery(page, count({ name: 'gifts' })));
    git('commit', '-qam', 'count gifts');
    dataOf(await scratch.builder.removeQuery(`${page}@openOrders`));
    git('commit', '-qam', 'no open orders');
    const read = dataOf(await queryHistory(scratch.ports, gitHistory(scratch.folder), `${page}@gifts`));
    expect(read.versioned).toBe(true);
    expect(read.commits).toEqual([
      expect.objectContaining({ subject: 'count gifts', author: 'Kim', diff: expect.stringContaining('gifts') }),
    ]);
  });

  it('is empty until a commit has it, and does not depend on how the file is indented', async () => {
    for (const path of [pagePath, modelPath]) scratch.write(path, scratch.read(path).replaceAll('  ', '\t'));
    git('init', '-q');
    git('add', '-A');
    git('commit', '-qm', 'begin');
    dataOf(await scratch.builder.addQuery(page, count({ name: 'gifts' })));
    const read = () => queryHistory(scratch.ports, gitHistory(scratch.folder), `${page}@gifts`);
    expect(dataOf(await read())).toEqual({ versioned: true, commits: [] });
    git('commit', '-qam', 'count gifts');
    expect(dataOf(await read()).commits).toMatchObject([{ subject: 'count gifts' }]);
  });

  it('is that of the query, and not of another one that calls its method', async () => {
    const shared = count({ name: 'also', endpoint: '/also' });
    dataOf(await scratch.builder.addQuery(page, shared));
    scratch.write(pagePath, scratch.read(pagePath).replace('model.also()', 'model.openOrders()'));
    const route = /\n  @Get\('\/also'\)[^]*?\n  \}\n/.exec(scratch.read(pagePath))![0];
    const moved = scratch
      .read(pagePath)
      .replace(route, '')
      .replace('export class OrdersPage {\n', (open) => open + route);
    scratch.write(pagePath, moved);
    git('init', '-q');
    git('add', '-A');
    git('commit', '-qm', 'begin');
    dataOf(await scratch.builder.configureQuery(`${page}@openOrders`, { endpoint: '/moved' }));
    git('commit', '-qam', 'moved');
    const { commits } = dataOf(await queryHistory(scratch.ports, gitHistory(scratch.folder), `${page}@openOrders`));
    expect(commits.map(({ subject }) => subject)).toEqual(['moved', 'begin']);
  });

  it('is none where there is no repository', async () => {
    expect(dataOf(await queryHistory(scratch.ports, gitHistory(scratch.folder), `${page}@openOrders`))).toEqual({
      versioned: false,
      commits: [],
    });
  });
});

describe('an opaque query', () => {
  const edits: readonly (readonly [string, string, string, string])[] = [
    [
      'an unknown step',
      modelPath,
      ".where('status', 'eq', 'pending')",
      ".where('status', 'eq', 'pending')\n      .hint('x')",
    ],
    [
      'a statement before the answer',
      pagePath,
      'return { value: await model.openOrders() }',
      "log('asked');\n    return { value: await model.openOrders() }",
    ],
    [
      'a result that is worked on',
      pagePath,
      '{ value: await model.openOrders() }',
      '{ value: (await model.openOrders()) * 2 }',
    ],
    ['code beside the class', pagePath, '@Page({', 'Object.freeze(OrdersModel.prototype);\n@Page({'],
    [
      'two steps at once',
      modelPath,
      ".where('status', 'eq', 'pending')",
      ".where('status', 'eq', 'pending')\n      .hint('x')\n      .slow()",
    ],
  ];

  it.each(edits)('becomes editable by a small change: %s', async (_name, path, from, to) => {
    scratch.write(path, scratch.read(path).replace(from, to));
    expect(await queryOf('openOrders')).toMatchObject({ opaque: true });
    const before = scratch.files();
    const proposal = dataOf(await proposeAdoption(scratch.ports, `${page}@openOrders`));
    expect(scratch.files()).toEqual(before);
    expect(proposal.possible).toBe(true);
    const options = { expectedVersion: proposal.version };
    dataOf(await adoptQuery(scratch.ports, `${page}@openOrders`, options));
    expect(await queryOf('openOrders')).toMatchObject({ opaque: false });
    expect(await adoptQuery(scratch.ports, `${page}@openOrders`, options)).toMatchObject({
      error: { code: 'conflict' },
    });
  });

  it('without a small change is left to people', async () => {
    const text = scratch.read(modelPath);
    scratch.write(modelPath, text.replace(/openOrders\(\) \{[\s\S]*?\n {2}\}/, 'openOrders() {\n    return 7;\n  }'));
    const proposal = dataOf(await proposeAdoption(scratch.ports, `${page}@openOrders`));
    expect(proposal).toMatchObject({ possible: false, changes: [] });
  });
});

describe('an unpublishing that is refused', () => {
  it('leaves an equal draft that another person saved before', async () => {
    const ports = { ...scratch.ports, now, newId: () => 'a'.repeat(32) };
    const { name, endpoint, resource, template, params } = (await queryOf('openOrders'))!;
    const input = { name, endpoint, resource: resource!, template: template!, params: params! };
    const draft = dataOf(await saveDraft(ports, { pageRef: page, input }, 'ann@example.com'));
    const refused = await unpublishQuery(ports, `${page}@openOrders`, 'bo@example.com', { expectedVersion: 'old' });
    expect(refused).toMatchObject({ ok: false, error: { code: 'conflict' } });
    expect(dataOf(await listDrafts(ports)).drafts).toEqual([draft]);
  });
});
