/** Two authors at one draft: the one who has not seen the other's change cannot end it. */
import { dataOf, openScratchProject, type ScratchProject } from '../testing/scratch-project';
import { count, ordersPage as page } from '../testing/refusals';
import { draftList } from '../http/studio-schemas';
import { discardDraft, listDrafts, publishDraft, saveDraft } from './drafts';

let scratch: ScratchProject;
beforeEach(async () => void (scratch = await openScratchProject()));
afterEach(() => scratch.remove());

describe('a draft with a part of another kind', () => {
  const ports = () => ({ ...scratch.ports, now: () => new Date(0), newId: () => 'one' });

  it.each([
    ['response', null],
    ['response', 'table'],
    ['name', 7],
    ['resource', ['orders']],
    ['template', {}],
    ['endpoint', null],
    ['params', 'status'],
    ['compare', 'yes'],
  ])('as %s %j is refused, and the list of drafts stays readable', async (part, value) => {
    const before = scratch.files();
    const input = { ...count({ name: 'gifts' }), [part]: value } as never;
    expect(await saveDraft(ports(), { pageRef: page, input }, 'kim')).toMatchObject({
      error: { code: 'invalid_config', issues: [{ pointer: `/${part}` }] },
    });
    expect([dataOf(await listDrafts(scratch.ports)).drafts, scratch.files()]).toEqual([[], before]);
  });

  it('in the file is named, not answered', async () => {
    dataOf(await saveDraft(ports(), { pageRef: page, input: count({ name: 'gifts' }) as never }, 'kim'));
    const path = '.builder/drafts.json';
    for (const spoilt of ['"compare": "yes"', '"other": 1']) {
      const text = (await scratch.ports.project.read(path)) ?? '';
      await scratch.ports.project.write(path, text, text.replace('"name": "gifts"', `"name": "gifts", ${spoilt}`));
      expect(await listDrafts(scratch.ports)).toMatchObject({ error: { code: 'source_error', file: path } });
      await scratch.ports.project.write(path, text.replace('"name": "gifts"', `"name": "gifts", ${spoilt}`), text);
    }
  });
});

describe('a draft of half a query', () => {
  it.each<[string, object]>([
    ['a name that is still being typed', { name: 'Gifts per ' }],
    ['an endpoint without its slash', { endpoint: 'gifts' }],
    ['parameters of no template', { params: { op: 'median', limit: 0, where: [{ field: 'gift' }] } }],
    ['nothing', {}],
  ])('with %s is kept, and listed in the documented shape', async (_which, input) => {
    const ports = { ...scratch.ports, now: () => new Date(0), newId: () => 'one' };
    const saved = dataOf(await saveDraft(ports, { pageRef: page, input: input as never }, 'kim'));
    const listed = dataOf(await listDrafts(scratch.ports));
    expect(draftList.parse(listed)).toEqual({ drafts: [saved] });
    expect(saved.input).toEqual(input);
  });
});

describe('a draft that another author changed since it was read', () => {
  const theirs = count({ name: 'gifts', endpoint: '/theirs' });
  const ports = () => ({ ...scratch.ports, now: () => new Date(0), newId: () => 'one' });
  const kept = async () => dataOf(await listDrafts(scratch.ports)).drafts.map(({ input }) => input);
  const save = async (revision: object, input: object, author: string) =>
    dataOf(await saveDraft(ports(), { ...revision, pageRef: page, input: input as never }, author));
  beforeEach(async () => {
    await save({}, count({ name: 'gifts' }), 'kim');
    await save({ id: 'one', revision: 1 }, theirs, 'bo');
  });

  it('is neither discarded nor published by who saw it before', async () => {
    const before = scratch.files();
    const refused = { error: { code: 'conflict', currentVersion: '2', detail: expect.stringContaining('bo changed') } };
    expect(await discardDraft(scratch.ports, 'one', 1)).toMatchObject(refused);
    expect(await publishDraft(scratch.ports, 'one', {}, 1)).toMatchObject(refused);
    expect([await kept(), scratch.files()]).toEqual([[theirs], before]);
    dataOf(await publishDraft(scratch.ports, 'one', {}, 2));
    expect(await kept()).toEqual([]);
  });

  it('keeps a change that is saved while it is published', async () => {
    const later = count({ name: 'gifts', endpoint: '/later' });
    const { project } = scratch;
    let saved = false;
    const write: typeof project.write = async (path, before, text) => {
      if (!saved && path.endsWith('.ts')) await save({ id: 'one', revision: 2 }, later, 'bo');
      saved = true;
      await project.write(path, before, text);
    };
    dataOf(await publishDraft({ ...scratch.ports, project: { ...project, write } }, 'one'));
    expect(await kept()).toEqual([later]);
  });
});
