/** The end of a creation is judged for the gateway, signed there, and applied off-line: two people, one situation. */
import {
  approvalFormat,
  signedProposalSchema,
  judgedAnswerSchema,
  judgedRequests,
  proposalFormat,
  type ApprovalStatement,
  type JudgedResolution,
  type ProposalStatement,
} from '@platform/contracts-provisioning';
import { readAppliedProposal } from '@platform/durable/investigation';
import { digestOfProposal } from '@platform/durable/signed-proposal';
import { signingKeyOf } from '@platform/kernel';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  bootProvisioning,
  createProvisioningWorld,
  creationRequest,
  tenant,
  type ProvisioningWorld,
} from '../testing/provisioning-world';
import { createWorkspace } from '../workflows/create-workspace';
import { attemptInvestigation } from '../workflows/resolve-attempt';
import { requestEndpoints } from './serve-requests';

const key = signingKeyOf('a secret of the gateway that is long enough');
const folder = mkdtempSync(join(tmpdir(), 'judged-'));
const people = { emailOf: async ({ email = '' }: { readonly email?: string | undefined }) => email };
const ann = { id: 'ann', email: 'ann@example.com' };
const ben = { id: 'ben', email: 'ben@example.com' };
const askExecutors = async (questions: readonly unknown[]) => questions.map(() => ({ state: 'not_proven' as const }));

beforeAll(() => {
  process.env['CASE_VERIFYING_KEY'] = key.publicKey;
});
afterAll(() => {
  delete process.env['CASE_VERIFYING_KEY'];
  rmSync(folder, { recursive: true });
});

/** A creation whose payment lost its answer behind its effect. */
async function stopped() {
  const world = await createProvisioningWorld();
  const { ports } = bootProvisioning(world);
  world.provider.failNext('lost_answer_after_effect', { step: 'pay_invoice' });
  await createWorkspace(ports, creationRequest({}));
  const invoiceId = world.attempt()!.handles.invoiceId!;
  const proofs = {
    executorStopped: 'its host was shut down at noon',
    outcome: 'applied' as const,
    providerObject: invoiceId as string | null,
  };
  const endpoints = requestEndpoints(ports, { ...ports, askExecutors });
  const subject = judgedRequests.provisioning_attempt;
  const judge = async (change: object = {}) => {
    const body = { id: tenant, by: ann.email, ...proofs, ...change };
    const answer = await endpoints.find((each) => each.subject === subject)!.answer(body, subject);
    return answer.ok ? judgedAnswerSchema.parse(answer.value) : answer.error.code;
  };
  return { world, ports, invoiceId, proofs, judge };
}

type Stopped = Awaited<ReturnType<typeof stopped>>;

async function judgedOf({ judge }: Stopped): Promise<JudgedResolution> {
  const answer = await judge();
  if (typeof answer === 'string' || !('judged' in answer)) throw new Error(JSON.stringify(answer));
  return answer.judged;
}

/** As the gateway signs it, approved by another person. */
function signed({ world, proofs }: Stopped, { tenantId, revision, evidence, consequences }: JudgedResolution) {
  const now = world.clock.now();
  const statement: ProposalStatement = {
    format: proposalFormat,
    proposalId: 'proposal-0001',
    kind: 'provisioning_attempt',
    itemId: tenant,
    ...{ tenantId, revision, ...proofs, consequences },
    evidence: { readAt: now.toISOString(), ...evidence },
    proposedBy: ann,
    proposedAt: now.toISOString(),
    expiresAt: new Date(now.getTime() + 3_600_000).toISOString(),
  };
  const proposal = { statement, signature: key.sign(statement) };
  const approval: ApprovalStatement = {
    format: approvalFormat,
    proposalId: statement.proposalId,
    proposal: digestOfProposal(proposal),
    approvedBy: ben,
    approvedAt: now.toISOString(),
  };
  return { ...proposal, approval: { statement: approval, signature: key.sign(approval) } };
}

/** As the off-line program does; answers the status, or what was refused. */
async function apply({ ports }: Stopped, world: ProvisioningWorld, document: unknown): Promise<string> {
  const file = join(folder, 'proposal.json');
  writeFileSync(file, JSON.stringify(document));
  const asked = { id: tenant, proposal: file, by: { email: 'cleo@example.com', tokenFile: undefined } };
  const work = { people, clock: world.clock, schema: signedProposalSchema };
  const read = await readAppliedProposal(asked, 'provisioning_attempt', work);
  if (!read.ok) return read.error;
  const planned = await attemptInvestigation.plan(ports, read.value.request);
  if (!planned.ok) return planned.error;
  const difference = read.value.differs(planned.value);
  if (difference !== null) return difference;
  const recorded = await attemptInvestigation.record(ports, planned.value);
  return recorded.ok ? recorded.value.status : recorded.error;
}

describe('the end of a creation that a person proposes', () => {
  it('is judged with what the provider shows, and nothing is written or sent', async () => {
    const stage = await stopped();
    const before = [stage.world.attempt(), stage.world.provider.sends().length];
    expect(await judgedOf(stage)).toMatchObject({
      tenantId: tenant,
      revision: stage.world.attempt()!.revision,
      evidence: { objects: expect.arrayContaining([stage.invoiceId]) },
      consequences: [expect.stringContaining('becomes committed')],
    });
    expect([stage.world.attempt(), stage.world.provider.sends().length]).toEqual(before);
  });

  it('is refused as the off-line program refuses it, and judged for two people who insist', async () => {
    const { judge } = await stopped();
    const against = { outcome: 'not_applied', providerObject: null };
    expect(await judge(against)).toMatchObject({ refused: expect.stringMatching(/^resolution_contradicted: /) });
    expect(await judge({ ...against, override: 'the provider wrote that it is void' })).toMatchObject({
      judged: { contradiction: expect.stringMatching(/^resolution_contradicted: /) },
    });
    expect(await judge({ id: 'nobody' })).toMatchObject({ refused: expect.stringContaining('no such') });
    expect(await judge({ outcome: 'perhaps' })).toBe('invalid_request');
  });

  it('is applied out of the signed document, once, and names its people', async () => {
    const stage = await stopped();
    const document = signed(stage, await judgedOf(stage));
    expect(await apply(stage, stage.world, document)).toBe('committed');
    expect(stage.world.attempt()).toMatchObject({
      resolution: { by: ann.email, proposal: { approvedBy: ben.email, appliedBy: 'cleo@example.com' } },
    });
    expect(await apply(stage, stage.world, document)).toContain('nothing to resolve');
  });

  it('is not applied out of a document that was changed, is unsigned, or is of another situation', async () => {
    const stage = await stopped();
    const judged = await judgedOf(stage);
    const document = signed(stage, judged);
    const other = { ...document.statement, outcome: 'not_applied' };
    expect(await apply(stage, stage.world, { ...document, statement: other })).toContain('signature does not fit');
    expect(await apply(stage, stage.world, { ...document, approval: undefined })).toContain('not approved');
    expect(await apply(stage, stage.world, signed(stage, { ...judged, revision: 'earlier' }))).toMatch(
      /^evidence_changed: The record/,
    );
    expect(stage.world.attempt()?.status).toBe('reconciliation_required');
  });
});
