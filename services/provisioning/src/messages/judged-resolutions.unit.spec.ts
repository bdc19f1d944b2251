/** The resolution of a creation: judged for the gateway, signed there, and applied off-line by two people. */
import { judgedAnswerSchema, judgedRequests, type JudgedResolution } from '@platform/contracts-provisioning';
import { createProposals } from '../testing/proposals';
import { bootProvisioning, createProvisioningWorld, creationRequest, tenant } from '../testing/provisioning-world';
import { createWorkspace } from '../workflows/create-workspace';
import { attemptInvestigation } from '../workflows/resolve-attempt';
import { requestEndpoints } from './serve-requests';

const proposals = createProposals();
const { ann, ben } = proposals;
const askExecutors = async (questions: readonly unknown[]) => questions.map(() => ({ state: 'not_proven' as const }));

beforeAll(() => proposals.open());
afterAll(() => proposals.close());

/** A creation whose payment took effect and lost its answer. */
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

const signed = ({ world, proofs }: Stopped, judged: JudgedResolution) =>
  proposals.sign(world.clock.now(), 'provisioning_attempt', tenant, proofs, judged);

const apply = ({ ports, world }: Stopped, document: unknown) =>
  proposals.apply(attemptInvestigation, ports, world.clock, 'provisioning_attempt', tenant, document);

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
    expect(await judge({ id: 'unknown' })).toMatchObject({ refused: expect.stringContaining('no such') });
    expect(await judge({ outcome: 'perhaps' })).toBe('invalid_request');
  });

  it('is applied out of the signed document, once, and names its people', async () => {
    const stage = await stopped();
    const document = signed(stage, await judgedOf(stage));
    expect(await apply(stage, document)).toBe('committed');
    expect(stage.world.attempt()).toMatchObject({
      resolution: { by: ann.email, proposal: { approvedBy: ben.email, appliedBy: 'cleo@example.com' } },
    });
    expect(await apply(stage, document)).toContain('nothing to resolve');
  });

  it('is not applied out of a document that was changed, is unsigned, or is of another situation', async () => {
    const stage = await stopped();
    const judged = await judgedOf(stage);
    const document = signed(stage, judged);
    const other = { ...document.statement, outcome: 'not_applied' };
    expect(await apply(stage, { ...document, statement: other })).toContain('signature does not fit');
    expect(await apply(stage, { ...document, approval: undefined })).toContain('not approved');
    expect(await apply(stage, signed(stage, { ...judged, revision: 'earlier' }))).toMatch(
      /^evidence_changed: The record/,
    );
    expect(stage.world.attempt()?.status).toBe('reconciliation_required');
  });
});
