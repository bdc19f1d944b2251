/**
 * The crash sweep of creation and rollback: every port call meets every fault. Afterwards the service boots again,
 * reconciles, the provider's event is delivered twice, and the invariants are checked. Deliberately broken builds prove
 * that the sweep detects violations.
 */
import type { CreateWorkspace, ProviderEventMessage } from '@platform/contracts-provisioning';
import type { Store } from '@platform/mongo';
import { StoreUnavailableError } from '@platform/mongo';
import type { PaymentProvider } from '@platform/payment-provider';
import { misreadAnswers, providerFaults } from '@platform/payment-provider/testing';
import {
  assertCaught,
  assertNoViolations,
  checkableInvariants,
  checkHistory,
  combineFaults,
  formatSweep,
  formatViolations,
  instrument,
  investigationFaults,
  messagingFaults,
  providerSendFaults,
  runSweep,
  settle,
  storeFaults,
  type AnswerEvidence,
  type Scenario,
  type SweepResult,
} from '@platform/testing';
import { cases, type Case } from '../testing/swept-creations';
import { answerProvider, firstInvoice, unfollowedPayment } from '../testing/asked-person';
import { evidenceOf, unfinishedBusiness, watchReservations, type ReservationLog } from '../testing/evidence';
import {
  bootProvisioning,
  createProvisioningWorld,
  tenant,
  type ProvisioningLife,
  type ProvisioningWorld,
} from '../testing/provisioning-world';
import { createWorkspace } from './create-workspace';
import { abandonInterruptedEvents, handleProviderEvent } from './handle-provider-event';
import { reconcile } from './reconcile';
import { attemptInvestigation } from './resolve-attempt';

interface SweptWorld {
  readonly world: ProvisioningWorld;
  readonly store: Store;
  readonly log: ReservationLog;
  readonly answers: AnswerEvidence[];
}

interface Ports {
  readonly store: Store;
  readonly provider: PaymentProvider;
}

interface Mutant {
  readonly ports?: (ports: Ports, world: ProvisioningWorld) => Ports;
  readonly atStart?: (life: ProvisioningLife, world: ProvisioningWorld) => Promise<void>;
  /** An investigator records this before the service is started again. */
  readonly investigated?: Outcome;
}

type Outcome = 'applied' | 'not_applied';
const outcomes = ['applied', 'not_applied'] as const;

async function quietly(work: Promise<unknown>): Promise<void> {
  await work.catch((error: unknown) => {
    if (!(error instanceof StoreUnavailableError)) throw error;
  });
}

const statuses = { committed: 200, unresolved: 202, refused: 409 } as const;

async function create(life: ProvisioningLife, { world, answers }: SweptWorld, request: CreateWorkspace): Promise<void> {
  const askedAt = world.clock.now().toISOString();
  const answer = await createWorkspace(life.ports, { ...request, askedAt }).catch((error: unknown) => {
    if (error instanceof StoreUnavailableError) return { kind: 'refused' as const, code: 'store_unavailable' as const };
    throw error;
  });
  answers.push({
    operationId: request.tenantId,
    fingerprint: request.tenantId,
    status: statuses[answer.kind],
    ...(answer.kind === 'refused' && { code: answer.code }),
    at: world.clock.now(),
  });
  await settle();
}

/** `invoice.paid` for every invoice that was really paid, delivered twice, as providers do. */
async function deliverPaymentEvents(life: ProvisioningLife, world: ProvisioningWorld): Promise<void> {
  const confirmed = await firstInvoice(world);
  const ids = new Set(
    world.provider.ledger().flatMap(({ step, objectId }) => (step === 'pay_invoice' ? [objectId] : [])),
  );
  if (confirmed?.status === 'paid') ids.add(confirmed.id);
  for (const objectId of ids) {
    const event: ProviderEventMessage = {
      eventId: `evt_${objectId}`,
      type: 'invoice.paid',
      created: new Date(0).toISOString(),
      object: { id: objectId },
      admittedRevision: 'revision-1',
    };
    await quietly(handleProviderEvent(life.ports, event));
    await quietly(handleProviderEvent(life.ports, event));
  }
}

/** An investigator whose proofs are not checked here; false while there is no attempt to resolve. */
async function recordEnd({ world, store }: SweptWorld, outcome: Outcome): Promise<boolean> {
  const { ports } = bootProvisioning(world, 90, { store });
  const planned = await attemptInvestigation.plan(ports, {
    id: tenant,
    outcome,
    executorStopped: 'its host was reinstalled, as far as we know',
    providerObject: outcome === 'applied' ? 'in_of_another' : null,
    by: 'ops@example.com',
  });
  if (planned.ok) await attemptInvestigation.record(ports, planned.value);
  return planned.ok;
}

async function catchUp(life: ProvisioningLife, { world }: SweptWorld): Promise<void> {
  await quietly(abandonInterruptedEvents(life.ports));
  await quietly(reconcile(life.ports));
  await quietly(deliverPaymentEvents(life, world));
  await quietly(reconcile(life.ports));
  await quietly(life.sweepOutbox());
  await settle();
}

function scenario(
  { name, request, trialDays = 0, person }: Case,
  mutant: Mutant = {},
): Scenario<SweptWorld, ProvisioningLife> {
  return {
    name,
    createWorld: async () => {
      const world = await createProvisioningWorld({ limits: { trialDays } });
      const log: ReservationLog = { taken: [], released: [] };
      return { world, log, store: watchReservations(world.watched, log), answers: [] };
    },
    boot: async ({ world, store }, { tape, incarnation }) => {
      const honest = {
        store: instrument('store', store, tape),
        provider: instrument('provider', world.provider as PaymentProvider, tape),
      };
      const life = bootProvisioning(world, incarnation, {
        ...(mutant.ports?.(honest, world) ?? honest),
        broker: instrument('messaging', world.broker, tape),
      });
      await mutant.atStart?.(life, world);
      return life;
    },
    act: async (life, swept) => {
      await create(life, swept, request);
      if (person !== 'ends the subscription' && person !== 'pays after its end') return;
      await answerProvider(swept.world, person);
      await quietly(reconcile(life.ports));
    },
    recover: async (life, swept) => {
      if (mutant.investigated) await recordEnd(swept, mutant.investigated);
      await catchUp(life, swept);
      await answerProvider(swept.world, person);
      await catchUp(life, swept);
    },
    check: async ({ world, log, answers }) => [
      ...formatViolations(checkHistory(evidenceOf(world, log, answers))),
      ...unfinishedBusiness(world),
      ...(await unfollowedPayment(world)),
    ],
    faultsFor: combineFaults<SweptWorld>(
      storeFaults({ port: 'store', unavailable: () => new StoreUnavailableError('the store is unreachable') }),
      messagingFaults({ port: 'messaging' }),
      providerSendFaults({
        port: 'provider',
        kinds: providerFaults.map(({ kind }) => kind),
        arm: ({ world }, kind) => world.provider.failNext(kind),
      }),
      investigationFaults({ record: recordEnd }),
    ),
  };
}

const results: SweepResult[] = [];
afterAll(() => process.stdout.write(`${formatSweep(results)}\n`));

// Each test makes hundreds of runs; their duration is not checked.

describe('the crash sweep of provisioning', () => {
  it('judges all invariants that its evidence shows', async () => {
    expect(checkableInvariants(evidenceOf(await createProvisioningWorld(), { taken: [], released: [] }, []))).toEqual(
      expect.arrayContaining(['I1', 'I2', 'I3', 'I4', 'I11', 'I12', 'I14']),
    );
  });

  it.each(cases.map((each) => [each.name, each] as const))(
    'finds no violation in %s, whatever fails wherever',
    async (_name, each) => {
      const result = await runSweep(scenario(each), { pairs: { seed: 11, sample: { lean: 10, full: 300 } } });
      results.push(result);
      assertNoViolations(result);
      expect(result.calls.length).toBeGreaterThan(15);
    },
  );

  it.each(cases.flatMap((each) => outcomes.map((outcome) => [each.name, outcome, each] as const)))(
    'finds no violation when a %s crashes anywhere and is resolved as %s before the service starts again',
    async (_name, investigated, each) => {
      const { faultsFor: _crashesOnly, ...crashing } = scenario(each, { investigated });
      assertNoViolations(await runSweep(crashing));
    },
  );

  it('notices a reconciliation that charges', async () => {
    const charging: Mutant = {
      atStart: async ({ ports }, world) => {
        const attempt = world.attempt();
        if (attempt?.preparedAt && attempt.status !== 'committed' && attempt.handles.invoiceId)
          await ports.provider
            .prepare(
              { operationId: tenant },
              { step: 'pay_invoice', invoiceId: attempt.handles.invoiceId, creationId: 'again' },
            )
            .send();
      },
    };
    await assertCaught(scenario(cases[0]!, charging), /I1 .*no durable intent|I12 .*charged 2 times/);
  });

  it('notices a build that takes an unknown payment for a declined one', async () => {
    const credulous: Mutant = {
      ports: (ports, world) => ({
        ...ports,
        provider: {
          ...world.provider,
          prepare: misreadAnswers(ports.provider, 'pay_invoice', (answer) =>
            answer.outcome === 'unknown'
              ? { outcome: 'failed', code: 'card_declined', message: answer.reason, evidence: answer.evidence }
              : answer,
          ),
        },
      }),
    };
    await assertCaught(scenario(cases[0]!, credulous), /I4 .*recorded as failed, and the provider did it/);
  });

  it('notices a build that takes a payment that is to be confirmed for a declined one', async () => {
    const impatient: Mutant = {
      ports: (ports, world) => ({
        ...ports,
        provider: {
          ...world.provider,
          prepare: misreadAnswers(ports.provider, 'pay_invoice', (answer) =>
            answer.outcome === 'failed' && answer.code === 'authentication_required'
              ? { ...answer, code: 'card_declined' }
              : answer,
          ),
        },
      }),
    };
    const confirmed = cases.find(({ person }) => person === 'confirms')!;
    await assertCaught(scenario(confirmed, impatient), /its first invoice is paid, and it is cancelled/);
  });

  it('notices a build that gives reservations back when an executor is gone', async () => {
    const forgetful: Mutant = {
      atStart: async ({ ports }, world) => {
        for (const held of world.capacity()) await ports.capacity.mutate(held, { ...held, allocations: [] });
      },
    };
    await assertCaught(scenario(cases[1]!, forgetful), /I11 .*the reservation is gone/);
  });

  it('notices a build that says created because the tenant exists', async () => {
    const hasty: Mutant = {
      atStart: async (_life, world) => {
        if (world.marker()?.provisioningState === 'preparing')
          world.published.push({
            id: 'early',
            subject: 'lifecycle.message.created',
            body: { tenantId: tenant, operationId: `workspace-created:${tenant}` },
            at: world.clock.now(),
          });
      },
    };
    await assertCaught(scenario(cases[0]!, hasty), /I12 .*created was announced/);
  });
});
