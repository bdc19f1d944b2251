/**
 * The crash sweep of the dispatch: every port call of admission, dispatch, outcome and completion meets every fault.
 * Afterwards the receiver boots again, the broker and the provider deliver again, and the invariants are checked. Two
 * builds that break a law on purpose prove that the sweep detects violations.
 */
import { StoreUnavailableError, type Store } from '@platform/mongo';
import type { ProviderEventOutcome } from '@platform/contracts-provisioning';
import {
  assertCaught,
  assertNoViolations,
  checkableInvariants,
  checkHistory,
  combineFaults,
  emptyEvidence,
  formatSweep,
  formatViolations,
  instrument,
  investigationFaults,
  messagingFaults,
  runSweep,
  settle,
  storeFaults,
  type Evidence,
  type Scenario,
  type SweepResult,
} from '@platform/testing';
import type { WebhookDigest } from '../domain/webhook-digest';
import { isResolved, type WebhookEvent } from '../domain/webhook-event';
import { webhookEventsCollection } from '../store/webhook-events';
import {
  bootReceiver,
  createWebhookWorld,
  deliverOutcomes,
  received,
  type RecordingBroker,
  type WebhookLife,
  type WebhookWorld,
} from '../testing/webhook-world';
import { receiveEvent } from './receive-event';
import type { Reception } from './reception';
import { removeOldEvents } from './remove-old-events';
import { eventInvestigation, type ResolvePorts } from './resolve-event';
import { stopInterrupted } from './stop-interrupted';

const dayMs = 86_400_000;

type Ports = { readonly store: Store; readonly broker: RecordingBroker };
interface Mutant {
  readonly ports?: (ports: Ports, world: WebhookWorld) => Ports;
  readonly statusOf?: (reception: Reception) => number;
}

function statusOf(reception: Reception): number {
  return { accepted: 200, unresolved: 500, conflict: 409, not_recorded: 503 }[reception.kind];
}

async function quietly<T>(work: Promise<T>): Promise<T | undefined> {
  return work.catch((error: unknown) => {
    if (error instanceof StoreUnavailableError) return undefined;
    throw error;
  });
}

async function deliver(life: WebhookLife, world: WebhookWorld, mutant: Mutant): Promise<void> {
  const event = received();
  const reception = await quietly(receiveEvent(life.ports, event));
  const standing = world.events().find(({ _id }) => _id === event.eventId);
  world.answers.push({
    eventId: event.eventId,
    status: reception ? (mutant.statusOf ?? statusOf)(reception) : 503,
    resultThen: standing?.result ?? 'absent',
  });
  await settle();
}

function evidenceOf(world: WebhookWorld): Evidence {
  return {
    ...emptyEvidence,
    ...world.recorder.logs,
    alerts: world.published
      .filter(({ subject }) => subject.startsWith('alert.'))
      .map(({ body }) => ({ kind: String(body['kind']), id: String(body['id']) })),
    webhooks: world.events().map(({ _id: eventId, result }) => ({
      eventId,
      result,
      handlerRuns: world.handled.get(eventId) ?? 0,
      answers: world.answers.filter((answer) => answer.eventId === eventId),
    })),
  };
}

/** Beyond the invariants: an event that was answered with a success exists, and no event waits without end. */
function unfinishedBusiness(world: WebhookWorld): string[] {
  const acknowledged = world.answers.some(({ status }) => status === 200);
  const [event] = world.events();
  return [
    ...(acknowledged && !event ? ['answered 200, and there is no record'] : []),
    ...(event?.result === 'pending' ? ['still pending after everything was delivered'] : []),
    ...(event?.result === 'success' && !event.resolution && (world.handled.get(event._id) ?? 0) === 0
      ? ['success, and its handler never ran']
      : []),
    ...(!event ? ['the event was delivered again and again, and is not recorded'] : []),
  ];
}

/** Resolves an event as an investigator with no contradicting owner would; false while there is none to resolve. */
async function recordEnd(world: WebhookWorld, outcome: 'applied' | 'not_applied'): Promise<boolean> {
  const ports: ResolvePorts = { ...bootReceiver(world, 90).ports, askOwner: async () => ({ status: 'pending' }) };
  const planned = await eventInvestigation.plan(ports, {
    id: received().eventId,
    outcome,
    executorStopped: 'its host was reinstalled, as far as we know',
    by: 'ops@example.com',
  });
  if (planned.ok) await eventInvestigation.record(ports, planned.value);
  return planned.ok;
}

async function catchUp(life: WebhookLife, world: WebhookWorld): Promise<void> {
  await quietly(life.sweepOutbox());
  await quietly(deliverOutcomes(world, life));
  await settle();
}

function scenario(
  name: string,
  outcome: ProviderEventOutcome,
  mutant: Mutant = {},
): Scenario<WebhookWorld, WebhookLife> {
  return {
    name,
    createWorld: async () => Object.assign(createWebhookWorld(), { decide: () => outcome }),
    boot: async (world, { tape, incarnation }) => {
      const honest = {
        store: instrument('store', world.watched, tape),
        broker: instrument('messaging', world.broker, tape),
      };
      const life = bootReceiver(world, incarnation, mutant.ports?.(honest, world) ?? honest);
      if (incarnation > 1) await quietly(stopInterrupted({ ...life.ports, executorState: async () => 'superseded' }));
      return life;
    },
    act: async (life, world) => {
      await deliver(life, world, mutant);
      await deliver(life, world, mutant);
      await quietly(removeOldEvents(life.ports, 1));
    },
    recover: async (life, world) => {
      await catchUp(life, world);
      await deliver(life, world, mutant);
      await catchUp(life, world);
      await deliver(life, world, mutant);
      await catchUp(life, world);
    },
    check: (world) => [...formatViolations(checkHistory(evidenceOf(world))), ...unfinishedBusiness(world)],
    faultsFor: combineFaults(
      storeFaults({ port: 'store', unavailable: () => new StoreUnavailableError('simulated') }),
      messagingFaults({ port: 'messaging' }),
      investigationFaults({ record: recordEnd }),
    ),
  };
}

/** Retention between two deliveries: only the digest remains; a late duplicate is neither handled nor refused. */
function retention(outcome: ProviderEventOutcome): Scenario<WebhookWorld, WebhookLife> {
  const base = scenario(`retention, ${outcome}`, outcome);
  const remove = (life: WebhookLife) => quietly(removeOldEvents(life.ports, 1));
  return {
    ...base,
    act: async (life, world) => {
      await deliver(life, world, {});
      world.clock.advance(2 * dayMs);
      await remove(life);
      await deliver(life, world, {});
      await remove(life);
    },
    recover: async (life, world) => {
      await base.recover(life, world);
      world.clock.advance(2 * dayMs);
      await remove(life);
      await catchUp(life, world);
      await remove(life);
      await deliver(life, world, {});
      await deliver(life, world, {});
    },
    check: (world) => {
      const [event] = world.events();
      const [digest] = world.digests();
      const known = digest !== undefined || (event !== undefined && isResolved(event));
      return [
        ...formatViolations(checkHistory(evidenceOf(world))),
        ...((world.handled.get('evt_1') ?? 0) > 1 ? ['handled twice'] : []),
        ...(!event && !digest ? ['neither the record nor its digest is left'] : []),
        ...(event?.result === 'pending' ? ['pending after everything was delivered'] : []),
        ...(event && isResolved(event) && (event.outbox ?? []).length === 0
          ? ['the resolved record is old, and stays']
          : []),
        ...(event && !isResolved(event) && digest ? ['an unresolved event was reduced'] : []),
        ...(world.answers.at(-1)?.status !== (known ? 200 : 500)
          ? [`the last delivery was answered ${world.answers.at(-1)?.status}`]
          : []),
      ];
    },
  };
}

// Each test makes hundreds of runs; their duration is not checked.

describe('the crash sweep of the dispatch', () => {
  const results: SweepResult[] = [];
  afterAll(() => process.stdout.write(`${formatSweep(results)}\n`));

  it('can judge the invariants that its evidence is about', () => {
    expect(checkableInvariants(evidenceOf(createWebhookWorld()))).toContain('I10');
  });

  it.each(['success', 'skipped', 'failed', 'unknown'] as const)(
    'finds no violation for an event that ends %s, whatever fails wherever',
    async (outcome) => {
      const result = await runSweep(scenario(`dispatch, ${outcome}`, outcome), {
        pairs: { seed: 7, sample: { lean: 10, full: 500 } },
      });
      results.push(result);
      assertNoViolations(result);
      expect(result.calls.length).toBeGreaterThan(5);
    },
  );

  it.each(['success', 'failed'] as const)(
    'finds no violation when an event that ends %s outlives its retention, whatever fails wherever',
    async (outcome) => {
      const result = await runSweep(retention(outcome), { pairs: { seed: 7, sample: { lean: 10, full: 300 } } });
      results.push(result);
      assertNoViolations(result);
      expect(result.calls.some(({ name }) => name.endsWith('.remove'))).toBe(outcome === 'success');
    },
  );

  it('notices a build that forgets the digest', async () => {
    const base = retention('success');
    const forgetful: typeof base = {
      ...base,
      boot: async (...given) => {
        const life = await base.boot(...given);
        const digests = {
          ...life.ports.digests,
          findById: async () => null,
          insert: async (draft: object) => ({ outcome: 'applied' as const, record: draft as WebhookDigest }),
        };
        return { ...life, ports: { ...life.ports, digests } };
      },
    };
    await assertCaught(
      forgetful,
      /neither the record nor its digest|pending after everything|the resolved record is old, and stays/,
    );
  });

  it('notices a build that answers an unresolved event with a success', async () => {
    await assertCaught(
      scenario('eager', 'failed', {
        statusOf: (reception) => (reception.kind === 'unresolved' ? 200 : statusOf(reception)),
      }),
      /I10 .* answered 200 while it was/,
    );
  });

  it('notices a build that dispatches a redelivery again', async () => {
    const forgetful: Mutant = {
      ports: ({ store, broker }, world) => ({
        broker: { publish: (entry) => broker.publish({ ...entry, id: `${entry.id}:${world.published.length}` }) },
        store,
      }),
    };
    await assertCaught(scenario('forgetful', 'success', forgetful), /I10 .* handled 2 times/);
  });

  it('notices a build that stops without telling anybody', async () => {
    const mute: Mutant = {
      ports: ({ store, broker }) => ({
        store,
        broker: {
          publish: async (entry) => (entry.subject.startsWith('alert.') ? 'acknowledged' : broker.publish(entry)),
        },
      }),
    };
    await assertCaught(scenario('mute', 'unknown', mute), /no alert was sent/);
  });

  it('keeps the sweep honest: the record of the baseline is resolved and its dispatch has ended', async () => {
    const world = createWebhookWorld();
    const life = bootReceiver(world, 1);
    await deliver(life, world, {});
    const events = world.store.collection<WebhookEvent>(webhookEventsCollection);
    expect(await events.outbox.pending(10)).toEqual([]);
    expect(world.answers).toEqual([{ eventId: 'evt_1', status: 200, resultThen: 'success' }]);
  });
});
