/**
 * Work on cases through HTTP: the assignee, the findings, what the case waits for, and the evidence pinned at a moment.
 */
import {
  caseWorkRequestSchema,
  type CaseView,
  type CaseWorkView,
  type WorkQueuePage,
} from '@platform/contracts-operator';
import { proposalWordsSchema } from '@platform/contracts-provisioning';
import { digestOf } from '@platform/kernel';
import { post, setStage, type Stage } from '../testing/stage';
import { propose } from '../testing/proposals';
import { proposalsCollection } from '../proposals/store/proposals';
import { workItemsCollection } from '../work-queue/store/work-items';
import { workItemOf } from '../work-queue/domain/work-item';
import { workFacts } from '../work-queue/testing/work-queue-world';
import { casePinsCollection, caseWorkCollection } from './store/case-work';
import { workOnCase } from './workflows/work-on-case';

const [ann, ben] = ['ann@example.com', 'ben@example.com'];
const place = (id = 'op-00000001') => `/api/saas/cases/operation/work?id=${id}`;
const note = { what: 'note', entryId: 'entry-note-01', text: 'The provider confirms it by telephone.' } as const;

async function stageWithCase(ids: readonly string[] = ['op-00000001'], cause = 'outcome_unknown:balance_credit') {
  const stage = await setStage();
  const items = stage.world.store.collection(workItemsCollection);
  for (const id of ids) await items.insert(workItemOf(workFacts(id, { cause }), stage.world.clock.now()));
  return stage;
}

async function add({ gateway }: Stage, body: object, email = ann, role = 'support', id?: string) {
  const answer = await gateway.request('POST', place(id), { role: role as 'support', email, body });
  return { status: answer.status, work: answer.json<CaseWorkView & { readonly code?: string }>() };
}

const read = async ({ gateway }: Stage, id?: string) =>
  (await gateway.request('GET', place(id), { role: 'viewer' })).json<CaseWorkView>();
const queue = async ({ gateway }: Stage, query: string) =>
  (await gateway.request('GET', `/api/saas/work-queue?${query}`, { role: 'viewer' })).json<WorkQueuePage>();

describe('work on a case', () => {
  it('is empty at first, then holds each entry once, newest first', async () => {
    const stage = await stageWithCase();
    expect(await read(stage)).toEqual({
      kind: 'operation',
      id: 'op-00000001',
      state: 'new',
      assignee: null,
      cause: 'outcome_unknown:balance_credit',
      entries: [],
    });
    await add(stage, note);
    await add(stage, note);
    await add(stage, { what: 'state', entryId: 'entry-state-1', state: 'waiting_for', text: 'the answer of the bank' });
    const work = await read(stage);
    expect(work).toMatchObject({ state: 'waiting_for', waitingFor: 'the answer of the bank' });
    expect(work.entries.map(({ what, by }) => [what, by])).toEqual([
      ['state', ann],
      ['note', ann],
    ]);
    expect((await add(stage, { ...note, text: 'something else' })).status).toBe(400);
    await add(stage, { what: 'state', entryId: 'entry-state-2', state: 'looked_at' });
    expect(await read(stage)).not.toHaveProperty('waitingFor');
  });

  it('asks for what is waited for, and takes it with no other state', async () => {
    const stage = await stageWithCase();
    const of = (body: object) => add(stage, { what: 'state', entryId: 'entry-state-1', ...body });
    expect((await of({ state: 'waiting_for' })).status).toBe(400);
    expect((await of({ state: 'looked_at', text: 'x' })).status).toBe(400);
    expect((await of({ state: 'approved' })).status).toBe(400);
    expect((await read(stage)).entries).toEqual([]);
  });

  it('is taken by one of two people who take it at once, and given on by name', async () => {
    const stage = await stageWithCase();
    const take = (email: string, entryId: string) =>
      add(stage, { what: 'assigned', entryId, from: null, to: email }, email);
    const both = await Promise.all([take(ann, 'entry-take-01'), take(ben, 'entry-take-02')]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
    const holder = (await read(stage)).assignee!;
    const other = holder === ann ? ben : ann;
    const given = await add(stage, { what: 'assigned', entryId: 'entry-give-01', from: holder, to: other }, holder);
    expect(given.work.assignee).toBe(other);
    expect((await read(stage)).entries.filter(({ what }) => what === 'assigned')).toHaveLength(2);
  });

  it('keeps every note of people who write at once', async () => {
    const stage = await stageWithCase();
    await Promise.all([1, 2, 3, 4].map((at) => add(stage, { ...note, entryId: `entry-note-0${at}` })));
    expect((await read(stage)).entries).toHaveLength(4);
  });

  it('is written by people who may more than read, about records that exist', async () => {
    const stage = await stageWithCase();
    expect((await add(stage, note, ann, 'viewer')).status).toBe(403);
    expect((await add(stage, note, ann, 'user')).status).toBe(403);
    expect((await add(stage, note, ann, 'finance')).status).toBe(200);
    expect((await add(stage, note, ann, 'support', 'op-does-not-exist')).status).toBe(404);
  });

  it('says proposed and approved as the proposal is, whatever people set', async () => {
    const stage = await stageWithCase(['op-credit-0001']);
    const { id, digest } = await propose(stage);
    await add(stage, { what: 'state', entryId: 'entry-state-1', state: 'looked_at' }, ann, 'support', 'op-credit-0001');
    expect(await read(stage, 'op-credit-0001')).toMatchObject({ state: 'proposed', proposalId: id });
    expect((await queue(stage, 'limit=5')).items[0]?.work).toMatchObject({ state: 'proposed' });
    const approval = `/api/saas/proposals/${id}/approval`;
    await stage.gateway.request('POST', approval, { email: ben, body: { proposal: digest } });
    expect((await read(stage, 'op-credit-0001')).state).toBe('approved');
    stage.world.clock.advance(25 * 3_600_000);
    expect((await read(stage, 'op-credit-0001')).state).toBe('looked_at');
  });

  it('says proposed however many proposals of other cases came before on the same day', async () => {
    const another = await stageWithCase();
    const stage = await stageWithCase(['op-credit-0001']);
    const { id: model } = await propose(another);
    const {
      createdAt: _at,
      updatedAt: _then,
      revision: _r,
      ...other
    } = (await another.world.store.collection(proposalsCollection).findById(model))!;
    const proposals = stage.world.store.collection(proposalsCollection);
    for (let at = 0; at < 1_000; at += 1)
      await proposals.insert({ ...other, _id: `other-${at}`, itemId: `op-other-${at}` } as never);
    const { id } = await propose(stage);
    expect(await read(stage, 'op-credit-0001')).toMatchObject({ state: 'proposed', proposalId: id });
    expect((await queue(stage, 'limit=5')).items[0]?.work).toMatchObject({ state: 'proposed' });
  });

  it('changes nothing of the record that the case is about', async () => {
    const stage = await stageWithCase(['op-credit-0001']);
    stage.world.provider.failNext('lost_answer_after_effect');
    await post(stage, 'balance-credit', { operationId: 'op-credit-0001', amountCents: 500, reason: 'outage' });
    const before = await stage.life.ports.operations.findById('op-credit-0001');
    await add(stage, note, ann, 'support', 'op-credit-0001');
    expect(await stage.life.ports.operations.findById('op-credit-0001')).toEqual(before);
  });
});

describe('the work queue', () => {
  it('tells who has a case, lists the cases of one person, and those of one cause', async () => {
    const stage = await stageWithCase(['op-00000001', 'op-00000002', 'op-00000003']);
    const other = workFacts('op-00000004', { cause: 'consumer:storage' });
    await stage.world.store.collection(workItemsCollection).insert(workItemOf(other, stage.world.clock.now()));
    await add(stage, { what: 'assigned', entryId: 'entry-take-01', from: null, to: 'Ann@example.com' }, ann);
    const mine = await queue(stage, `assignee=${ann}`);
    expect(mine.items.map(({ id, work }) => [id, work?.assignee])).toEqual([['op-00000001', ann]]);
    expect((await queue(stage, `assignee=${ben}`)).items).toEqual([]);
    expect((await queue(stage, 'cause=outcome_unknown:balance_credit')).items).toHaveLength(3);
    expect((await queue(stage, `cause=consumer:storage&assignee=${ann}`)).items).toEqual([]);
  });
});

describe('a pinned case', () => {
  const view = {
    kind: 'operation',
    id: 'op-00000001',
    status: 'reconciliation_required',
    verdict: { money: { answer: 'not_known', because: '-' }, running: { answer: 'not_proven', because: '-' } },
  } as unknown as CaseView;
  const pin = { what: 'pinned', entryId: 'entry-pin-001', by: ann } as const;

  it('is kept as it was read, and a repeat pins no later moment', async () => {
    const { world } = await stageWithCase();
    const ports = {
      work: world.store.collection(caseWorkCollection),
      pins: world.store.collection(casePinsCollection),
      clock: world.clock,
    };
    const first = await workOnCase(ports, 'operation', 'op-00000001', pin, view);
    const later = { ...view, status: 'succeeded' } as CaseView;
    const again = await workOnCase(ports, 'operation', 'op-00000001', pin, later);
    expect(again).toEqual(first);
    const kept = await ports.pins.findById('operation:op-00000001:entry-pin-001');
    expect(kept).toMatchObject({ pinnedBy: ann, digest: digestOf(view), view: { status: 'reconciliation_required' } });
  });
});

describe('words on a case', () => {
  const bidi = 'the credit \u202edid not reach them';
  it.each([
    { what: 'note', entryId: 'note-2026-0001', text: bidi },
    { what: 'state', entryId: 'note-2026-0001', state: 'waiting_for', text: bidi },
    { what: 'pinned', entryId: 'note-2026-0001', text: bidi },
  ])('read as they are written: $what', (entry) => {
    expect(caseWorkRequestSchema.safeParse({ ...entry, text: 'the credit' }).success).toBe(true);
    expect(caseWorkRequestSchema.safeParse(entry).success).toBe(false);
  });

  it('of a proposal are the same to the person who approves it', () => {
    expect(proposalWordsSchema.safeParse('the provider shows the credit').success).toBe(true);
    expect(proposalWordsSchema.safeParse(bidi).success).toBe(false);
  });
});
