/**
 * Signed proposals through HTTP and into the off-line program: two people, one situation, and neither changes a record.
 * Every kind of forged or changed proposal is refused.
 */
import type { ProposalView } from '@platform/contracts-operator';
import type { SignedProposal } from '@platform/contracts-provisioning';
import { readAppliedProposal } from '@platform/durable/investigation';
import { signingKeyOf } from '@platform/kernel';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { proposalWork } from '../../cli/proposal-work';
import { operationInvestigation } from '../../operations/workflows/resolve-operation';
import { bootOperator, type OperatorWorld } from '../../testing/operator-world';
import { credit, post, setStage, type Stage } from '../../testing/stage';
import { signingSecret } from '../../testing/operator-world';
import { proposalsCollection } from '../store/proposals';

const secret = signingSecret;
const ann = 'ann@example.com';
const ben = 'ben@example.com';
const folder = mkdtempSync(join(tmpdir(), 'proposals-'));
const saved = process.env['CASE_SIGNING_KEY'];

beforeAll(() => {
  delete process.env['CASE_SIGNING_KEY'];
  process.env['CASE_VERIFYING_KEY'] = signingKeyOf(secret).publicKey;
});
afterAll(() => {
  delete process.env['CASE_VERIFYING_KEY'];
  if (saved !== undefined) process.env['CASE_SIGNING_KEY'] = saved;
  rmSync(folder, { recursive: true });
});

/** A credit whose answer was lost after its effect. */
async function stopped(): Promise<Stage & { objectId: string }> {
  const stage = await setStage();
  stage.world.provider.failNext('lost_answer_after_effect');
  expect((await post(stage, 'balance-credit', credit)).status).toBe(502);
  const made = stage.world.provider.ledger().find(({ operationId }) => operationId === credit.operationId);
  return { ...stage, objectId: made!.objectId };
}

const said = (providerObject: string | null, change: object = {}) => ({
  kind: 'operation',
  id: credit.operationId,
  executorStopped: 'its host was shut down at noon',
  outcome: 'applied',
  providerObject,
  ...change,
});

async function propose({ gateway }: Stage, body: object) {
  const answer = await gateway.request('POST', '/api/saas/proposals', { email: ann, body });
  return { status: answer.status, view: answer.json<ProposalView & { code?: string; detail?: string }>() };
}

async function approve({ gateway }: Stage, { digest, proposal }: ProposalView, email = ben) {
  const path = `/api/saas/proposals/${proposal.statement.proposalId}/approval`;
  const answer = await gateway.request('POST', path, { email, body: { proposal: digest } });
  return { status: answer.status, view: answer.json<ProposalView & { code?: string }>() };
}

async function approved(stage: Stage & { objectId: string }): Promise<SignedProposal> {
  const { view } = await propose(stage, said(stage.objectId));
  const answer = await approve(stage, view);
  expect(answer.status).toBe(200);
  return answer.view.proposal;
}

function workOn({ store, clock }: OperatorWorld) {
  return proposalWork({ store, clock, people: { personOf: async ({ email = '' }) => ({ id: email, email }) } });
}

/** Applies the proposal as the program does, from a file or by its id; returns what was refused. */
async function apply(stage: Stage, proposal: SignedProposal | string, between?: () => Promise<unknown>) {
  const { ports } = bootOperator(stage.world, 9);
  const file = join(folder, 'proposal.json');
  if (typeof proposal !== 'string') writeFileSync(file, JSON.stringify(proposal));
  const named = typeof proposal === 'string' ? proposal : file;
  const by = { email: 'cleo@example.com', tokenFile: undefined };
  const read = await readAppliedProposal(
    { id: credit.operationId, proposal: named, by },
    'operation',
    workOn(stage.world),
  );
  if (!read.ok) return read.error;
  await between?.();
  const planned = await operationInvestigation.plan(ports, read.value.request);
  if (!planned.ok) return planned.error;
  const difference = read.value.differs(planned.value);
  if (difference !== null) return difference;
  const recorded = await operationInvestigation.record(ports, planned.value);
  return recorded.ok ? recorded.value.status : recorded.error;
}

const own = ({ world }: Stage) => world.operations().find(({ _id }) => _id === credit.operationId)!;

describe('a proposal', () => {
  it('changes nothing of its record when it is prepared and approved, and ends it when it is applied', async () => {
    const stage = await stopped();
    const [before, sends] = [own(stage), stage.world.provider.sends().length];
    const { status, view } = await propose(stage, said(stage.objectId));
    expect([status, view.status]).toEqual([201, 'proposed']);
    expect(view.proposal.statement).toMatchObject({
      proposedBy: { email: ann },
      evidence: {
        objects: [stage.objectId],
        statements: [expect.stringContaining('found customer balance transaction')],
      },
      consequences: [expect.stringContaining('becomes succeeded')],
      revision: before.revision,
    });
    expect(view).not.toHaveProperty('command');
    const answer = await approve(stage, view);
    const { proposalId } = view.proposal.statement;
    expect(answer.view).toMatchObject({
      status: 'approved',
      command: expect.stringContaining(`resolve operation ${credit.operationId} --proposal ${proposalId}`),
    });
    expect([own(stage), stage.world.provider.sends().length]).toEqual([before, sends]);
    expect(await apply(stage, proposalId)).toBe('succeeded');
    expect(own(stage).resolution).toMatchObject({
      by: ann,
      proposal: { id: proposalId, digest: view.digest, approvedBy: ben, appliedBy: 'cleo@example.com' },
    });
    expect(stage.world.provider.sends()).toHaveLength(sends);
  });

  it('is refused where the evidence refuses it, and written for two people who insist', async () => {
    const stage = await stopped();
    const against = said(null, { outcome: 'not_applied' });
    const refusal = await propose(stage, against);
    expect(refusal).toMatchObject({
      status: 409,
      view: { code: 'proposal_refused', detail: expect.stringMatching(/^resolution_contradicted: /) },
    });
    const insisting = await propose(stage, { ...against, override: 'the provider wrote that it is void' });
    expect(insisting.view.proposal.statement.override).toMatchObject({
      contradiction: expect.stringMatching(/^resolution_contradicted: /),
    });
    const whole = (await approve(stage, insisting.view)).view.proposal;
    expect(await apply(stage, whole)).toBe('failed');
    expect(own(stage).resolution).toMatchObject({
      override: { proposedBy: ann, approvedBy: ben, reason: 'the provider wrote that it is void' },
    });
  });

  it('is approved by another person, once, as it was shown, before it expires', async () => {
    const stage = await stopped();
    const { view } = await propose(stage, said(stage.objectId));
    expect(await approve(stage, view, ann)).toMatchObject({ status: 403, view: { code: 'second_person_required' } });
    expect(await approve(stage, view, 'ANN@example.com')).toMatchObject({ status: 403 });
    expect(await approve(stage, { ...view, digest: 'a'.repeat(64) })).toMatchObject({ status: 409 });
    const both = await Promise.all([approve(stage, view), approve(stage, view, 'dora@example.com')]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
    const { view: late } = await propose(stage, said(stage.objectId));
    stage.world.clock.advance(24 * 3_600_000);
    expect(await approve(stage, late)).toMatchObject({ status: 409, view: { code: 'proposal_outdated' } });
  });

  it('is neither prepared nor approved with a token that has expired, or of a user', async () => {
    const stage = await stopped();
    const { view } = await propose(stage, said(stage.objectId));
    const path = `/api/saas/proposals/${view.proposal.statement.proposalId}/approval`;
    const body = { proposal: view.digest };
    const request = (headers: Record<string, string>) =>
      stage.gateway.request('POST', path, { role: 'anonymous', headers, body });
    expect((await request({ authorization: 'Bearer eyJhbGciOiJIUzI1NiJ9.e30.x' })).status).toBe(401);
    expect((await request({})).status).toBe(401);
    expect((await stage.gateway.request('POST', path, { role: 'user', body })).status).toBe(403);
    expect(stage.world.store.collection(proposalsCollection).all()).toMatchObject([{ status: 'proposed' }]);
  });
});

describe('the off-line program', () => {
  type Change = (whole: SignedProposal) => unknown;

  it.each<[string, Change, RegExp]>([
    ['no document of this kind', () => ({ more: true }), /no signed proposal/],
    ['one that is not approved', ({ statement, signature }) => ({ statement, signature }), /not approved/],
    [
      'another outcome than was signed',
      (whole) => ({ ...whole, statement: { ...whole.statement, outcome: 'not_applied' } }),
      /signature does not fit/,
    ],
    [
      'another person than approved it',
      (whole) => ({
        ...whole,
        approval: {
          ...whole.approval,
          statement: { ...whole.approval!.statement, approvedBy: { id: 'eve', email: 'eve@example.com' } },
        },
      }),
      /signature of its approval/,
    ],
    [
      'one that another key signed',
      (whole) => {
        const other = signingKeyOf('another secret that is long enough too');
        return { ...whole, signature: other.sign(whole.statement) };
      },
      /signature does not fit/,
    ],
  ])('refuses %s', async (_what, change, message) => {
    const stage = await stopped();
    const whole = await approved(stage);
    expect(await apply(stage, change(whole) as SignedProposal)).toMatch(message);
    expect(own(stage).status).toBe('reconciliation_required');
  });

  it('refuses an approval by the person who proposes, and the approval of another proposal, though both are signed', async () => {
    const stage = await stopped();
    const whole = await approved(stage);
    const key = signingKeyOf(secret);
    const alone = { ...whole.approval!.statement, approvedBy: whole.statement.proposedBy };
    const forged = { ...whole, approval: { statement: alone, signature: key.sign(alone) } };
    expect(await apply(stage, forged)).toMatch(/needs a second person/);
    const { view } = await propose(stage, said(stage.objectId));
    expect(await apply(stage, { ...view.proposal, approval: whole.approval })).toMatch(/for another proposal/);
    expect(own(stage).status).toBe('reconciliation_required');
  });

  it('refuses what has expired, what is about another record, and what is not there', async () => {
    const stage = await stopped();
    const whole = await approved(stage);
    expect(await apply(stage, 'no-such-proposal')).toMatch(/no proposal no-such-proposal/);
    const asked = {
      id: 'op-another-0001',
      proposal: whole.statement.proposalId,
      by: { email: ann, tokenFile: undefined },
    };
    const other = await readAppliedProposal(asked, 'operation', workOn(stage.world));
    expect(other).toMatchObject({ ok: false, error: expect.stringContaining('not about this one') });
    stage.world.clock.advance(24 * 3_600_000);
    expect(await apply(stage, whole)).toMatch(/expired/);
    expect(own(stage).status).toBe('reconciliation_required');
  });

  it('refuses evidence that changed since it was approved', async () => {
    const stage = await stopped();
    const whole = await approved(stage);
    const listing = stage.world.provider.listBalanceTransactions;
    stage.world.provider.listBalanceTransactions = async (customerId) => {
      const answer = await listing(customerId);
      return answer.outcome === 'succeeded'
        ? { ...answer, value: [...answer.value, { ...answer.value[0]!, id: 'cbtxn_of_another' }] }
        : answer;
    };
    expect(await apply(stage, whole)).toMatch(/^evidence_changed: What the provider shows/);
    expect(own(stage).status).toBe('reconciliation_required');
  });

  it('refuses a case that was resolved meanwhile, and applies a proposal once', async () => {
    const stage = await stopped();
    const whole = await approved(stage);
    expect(await apply(stage, whole)).toBe('succeeded');
    const first = own(stage);
    expect(await apply(stage, whole)).toMatch(/nothing to resolve/);
    expect(own(stage)).toEqual(first);
  });

  it('is listed with all others of its record, newest first and a page at a time', async () => {
    const stage = await stopped();
    const made: string[] = [];
    for (let at = 0; at < 21; at += 1)
      made.push((await propose(stage, said(stage.objectId))).view.proposal.statement.proposalId);
    const path = `/api/saas/proposals?kind=operation&id=${credit.operationId}`;
    const page = async (cursor = '') => {
      const query = `&limit=20${cursor && `&cursor=${cursor}`}`;
      const answer = await stage.gateway.request('GET', `${path}${query}`, { email: ben });
      return answer.json<{ readonly proposals: readonly ProposalView[]; readonly nextCursor?: string }>();
    };
    const first = await page();
    const rest = await page(first.nextCursor);
    const listed = [...first.proposals, ...rest.proposals].map(({ proposal }) => proposal.statement.proposalId);
    expect([listed, first.proposals.length, rest.nextCursor]).toEqual([made.reverse(), 20, undefined]);
    expect((await stage.gateway.request('GET', `${path}&cursor=x`, { email: ben })).status).toBe(400);
  });

  it('says what it needs where no key is named', async () => {
    const stage = await stopped();
    const publicKey = process.env['CASE_VERIFYING_KEY'];
    delete process.env['CASE_VERIFYING_KEY'];
    try {
      await expect(apply(stage, 'some-proposal-1')).rejects.toThrow('CASE_VERIFYING_KEY');
    } finally {
      process.env['CASE_VERIFYING_KEY'] = publicKey;
    }
  });
});
