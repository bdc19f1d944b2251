/**
 * Admissions of provider events in the gateway's requests: a single one, and a proposed end that two people sign and a
 * third one applies.
 */
import {
  eventAdmissionAnswerSchema,
  eventAdmissionRequests,
  judgedAnswerSchema,
  judgedRequests,
  type JudgedResolution,
  type ProposedKind,
} from '@platform/contracts-provisioning';
import type { OutcomeProofs } from '@platform/durable/investigation';
import type { ExecutorState } from '@platform/kernel';
import { admissionSteps, type PendingAdmission } from '../domain/event-admission';
import { createProposals } from '../testing/proposals';
import { bootProvisioning, createProvisioningWorld, creationRequest, tenant } from '../testing/provisioning-world';
import { createWorkspace } from '../workflows/create-workspace';
import { admissionInvestigation } from '../workflows/resolve-event-admission';
import { eventAdmissionEndpoints } from './serve-event-admissions';

const proposals = createProposals();
beforeAll(() => proposals.open());
afterAll(() => proposals.close());

const eventId = 'evt_1';
const executor = { service: 'provisioning', instance: 'provisioning-1', incarnation: 'boot-0' };
const proofs = {
  executorStopped: 'its host was shut down at noon',
  outcome: 'applied' as const,
  providerObject: null as string | null,
};

/** A committed creation, and the event of its paid invoice whose handler died. */
async function leftOpen(state: ExecutorState = 'not_proven') {
  const world = await createProvisioningWorld();
  const { ports } = bootProvisioning(world);
  await createWorkspace(ports, creationRequest({}));
  const { invoiceId } = world.attempt()!.handles;
  await ports.admissions.insert(
    admissionSteps.begin<PendingAdmission>({
      _id: eventId,
      type: 'invoice.paid',
      admittedRevision: 'r-1',
      executor,
      about: { invoiceId: invoiceId!, attemptId: tenant },
      status: 'pending',
    }),
  );
  const asked = { ...ports, askExecutors: async (questions: readonly unknown[]) => questions.map(() => ({ state })) };
  const endpoints = eventAdmissionEndpoints(asked);
  const on = async (subject: string, body: Record<string, unknown>) => {
    const answer = await endpoints.find((each) => each.subject === subject)!.answer(body, subject);
    return answer.ok ? answer.value : answer.error.code;
  };
  return {
    world,
    ports: asked,
    record: () => ports.admissions.findById(eventId),
    read: async (id = eventId) =>
      eventAdmissionAnswerSchema.parse(await on(eventAdmissionRequests.read, { eventId: id })),
    judge: async (change: object = {}) =>
      judgedAnswerSchema.parse(
        await on(judgedRequests.event_admission, { id: eventId, by: proposals.ann.email, ...proofs, ...change }),
      ),
  };
}

type Stage = Awaited<ReturnType<typeof leftOpen>>;

async function judgedOf({ judge }: Stage): Promise<JudgedResolution> {
  const answer = await judge();
  if (!('judged' in answer)) throw new Error(JSON.stringify(answer));
  return answer.judged;
}

async function apply(
  { world, ports }: Stage,
  judged: JudgedResolution,
  kind: ProposedKind = 'event_admission',
): Promise<string> {
  const document = proposals.sign(world.clock.now(), kind, eventId, proofs, judged);
  const { plan, record } = admissionInvestigation;
  const investigation = {
    plan: (from: typeof ports, { providerObject: _none, ...request }: OutcomeProofs) => plan(from, request),
    record,
  };
  return proposals.apply(investigation, ports, world.clock, 'event_admission', eventId, document);
}
describe('an admission of a provider event', () => {
  it('is read with its handler as known now, then with what came of it', async () => {
    const stage = await leftOpen();
    expect(await stage.read()).toMatchObject({
      admission: { eventId, status: 'pending', executor: { ...executor, state: 'not_proven' } },
    });
    expect((await stage.read()).admission).not.toHaveProperty('finishedAt');
    expect(await apply(stage, await judgedOf(stage))).toBe('completed');
    expect(await stage.read()).toMatchObject({
      admission: {
        status: 'completed',
        outcome: 'success',
        finishedAt: expect.any(String),
        resolution: { by: proposals.ann.email, executorStopped: proofs.executorStopped },
      },
    });
    expect(await stage.read('evt_9')).toEqual({});
  });
});

describe('the end of an admission that a person proposes', () => {
  it('is judged with the creation that the event concerns, without a write', async () => {
    const stage = await leftOpen();
    const before = await stage.record();
    expect(await judgedOf(stage)).toMatchObject({
      tenantId: tenant,
      revision: before!.revision,
      evidence: { statements: expect.arrayContaining([expect.stringContaining(`${tenant} is committed`)]) },
      consequences: [
        expect.stringContaining('becomes completed (success)'),
        expect.stringContaining('provisioning-1 admitted it'),
      ],
    });
    expect(await stage.record()).toEqual(before);
  });

  it.each<[string, object, RegExp]>([
    ['it contradicts the creation', { outcome: 'not_applied' }, /^resolution_contradicted: /],
    ['an object of the provider is named', { providerObject: 'in_1' }, /its own proof/],
    ['the event was never admitted', { id: 'evt_9' }, /no such event/],
  ])('is refused where %s', async (_what, change, refusal) => {
    const stage = await leftOpen();
    expect(await stage.judge(change)).toMatchObject({ refused: expect.stringMatching(refusal) });
    expect(await stage.record()).toMatchObject({ status: 'pending' });
  });

  it('is refused while its handler says that it is at work', async () => {
    const stage = await leftOpen('alive');
    expect(await stage.judge()).toMatchObject({ refused: expect.stringContaining('provisioning-1') });
  });

  it('is applied out of the signed document, once, and names its people', async () => {
    const stage = await leftOpen();
    const judged = await judgedOf(stage);
    expect(await apply(stage, judged)).toBe('completed');
    expect(await stage.record()).toMatchObject({
      resolution: {
        by: proposals.ann.email,
        proposal: { approvedBy: proposals.ben.email, appliedBy: 'cleo@example.com' },
      },
    });
    expect(await apply(stage, judged)).toContain('nothing to resolve');
  });

  it('is not applied to a record that has changed since, nor as the end of the receiver’s record', async () => {
    const stage = await leftOpen();
    const judged = await judgedOf(stage);
    expect(await apply(stage, { ...judged, revision: 'earlier' })).toMatch(/^evidence_changed: The record/);
    expect(await apply(stage, judged, 'webhook_event')).toContain('not about this one');
    expect(await stage.record()).toMatchObject({ status: 'pending' });
  });
});
