/**
 * The crash sweep of events that are mirrored: every port call with every fault, and at every call another executor that
 * handles a later event of a later change. An event that ended well has brought its change, or a later one, into the
 * mirror. Builds that break a law on purpose prove that the sweep detects violations.
 */
import type { ProviderEventMessage } from '@platform/contracts-provisioning';
import { StoreUnavailableError } from '@platform/mongo';
import type { PaymentProvider, ProviderSubscription } from '@platform/payment-provider';
import { providerFaults } from '@platform/payment-provider/testing';
import {
  assertCaught,
  assertNoViolations,
  checkHistory,
  combineFaults,
  formatSweep,
  formatViolations,
  instrument,
  messagingFaults,
  providerSendFaults,
  runSweep,
  settle,
  storeFaults,
  type FaultTable,
  type Scenario,
  type SweepResult,
} from '@platform/testing';
import type { OperationRequest } from '../../operations/domain/operation';
import { submitOperation, unlessAway } from '../../operations/testing/submit-operation';
import { finishClearing } from '../../operations/workflows/finish-clearing';
import type { Subscription } from '../../mirror/domain/subscription';
import { mirrorRefreshesCollection } from '../../mirror/store/mirror-refreshes';
import { refreshMirrors } from '../../mirror/workflows/refresh-mirrors';
import { deliverSettlements, evidenceOf } from '../../testing/operator-history';
import { createOperatorWorld, tenant, type OperatorWorld } from '../../testing/operator-world';
import { providerEventAdmissionsCollection } from '../store/provider-event-admissions';
import { bootEvents, outcomesOf, providerEvent, type EventLife } from '../testing/event-world';
import type { EventPorts } from './event-ports';
import { handleProviderEvent } from './handle-provider-event';
import { stopInterruptedEvents } from './stop-interrupted-events';

interface MirroredWorld extends OperatorWorld {
  /** The changes that were made at the provider, in their order. */
  readonly changes: string[];
  /** The events that were handled first after the last change. */
  readonly current: Set<string>;
}

const suspension: OperationRequest = {
  operationId: 'op-suspend-0001',
  tenantId: tenant,
  action: 'suspend',
  values: { reason: 'a test' },
  actor: { id: 'operator', email: 'op@example.com' },
};

/** The states to which a person changes the subscription in the provider's dashboard, one after the other. */
const states = [
  { status: 'past_due', priceId: 'price_pro' },
  { status: 'active', priceId: 'price_pro' },
  { status: 'past_due', priceId: 'price_starter' },
] as const;

const objects: Readonly<Record<string, ProviderEventMessage['object']>> = {
  'customer.subscription.updated': { id: 'sub_acme', customer: 'cus_acme' },
  'customer.updated': { id: 'cus_acme' },
  'invoice.paid': { id: 'in_unknown', customer: 'cus_acme' },
};

interface Course {
  readonly events: readonly string[];
  readonly type: keyof typeof objects & string;
  /** The events arrive while a suspension waits for its receipts. */
  readonly suspended?: boolean;
}

const courses: Readonly<Record<string, Course>> = {
  'one change': { events: ['evt_1'], type: 'customer.subscription.updated' },
  'two changes': { events: ['evt_1', 'evt_2'], type: 'customer.subscription.updated' },
  'a change found by the customer': { events: ['evt_1'], type: 'customer.updated' },
  'a change found by an invoice': { events: ['evt_1'], type: 'invoice.paid' },
  'a change under a suspension': { events: ['evt_1'], type: 'customer.subscription.updated', suspended: true },
};

async function atProvider(world: OperatorWorld): Promise<ProviderSubscription> {
  const read = await world.provider.retrieveSubscription('sub_acme');
  if (read.outcome !== 'succeeded') throw new Error('the world has lost its subscription');
  return read.value;
}

/** Each change gives another quantity, so no two states are the same. */
async function change(world: MirroredWorld, eventId: string): Promise<void> {
  const made = world.changes.push(eventId);
  const next = { ...states[made % states.length], quantity: made + 1 };
  world.provider.seed({ subscriptions: [{ ...(await atProvider(world)), ...next }] });
  world.current.clear();
}

async function deliver(life: EventLife, world: MirroredWorld, eventId: string, type: string): Promise<void> {
  const admitted = await world.store.collection(providerEventAdmissionsCollection).findById(eventId);
  if (!admitted) world.current.add(eventId);
  await unlessAway(handleProviderEvent(life.events, providerEvent(eventId, type, objects[type]!, 'rev-1')));
  await settle();
}

/** At each call of the executor, another one handles the event of a later change, whole. */
function overtaking(): FaultTable<MirroredWorld> {
  const overtaken = {
    name: 'overtaken',
    answer: async (invoke: () => Promise<unknown>, { world }: { readonly world: MirroredWorld }) => {
      const eventId = `evt_late_${world.changes.length}`;
      await change(world, eventId);
      await deliver(bootEvents(world, 90), world, eventId, 'customer.subscription.updated');
      return invoke();
    },
  };
  return () => [overtaken];
}

async function isStale(world: OperatorWorld): Promise<boolean> {
  const { planId, status, provider } = world.subscription()!;
  const { status: real, priceId, quantity } = await atProvider(world);
  return (
    planId !== priceId.replace('price_', '') ||
    (provider.quantity ?? 1) !== quantity ||
    (status !== 'suspended' && status !== real)
  );
}

/** Whether a version of the workspace shows another quantity than the one before it, under the same transition. */
function mirroredUnderTransition({ recorder }: OperatorWorld): boolean {
  const versions = recorder.logs.writes
    .filter(({ collection, outcome }) => collection === 'subscriptions' && outcome === 'applied')
    .map(({ version }) => version as unknown as Subscription);
  return versions.some(
    ({ transition, provider }, at) =>
      transition !== undefined &&
      versions[at - 1]?.transition?.operationId === transition.operationId &&
      versions[at - 1]?.provider.quantity !== provider.quantity,
  );
}

async function checkEverything(world: MirroredWorld): Promise<string[]> {
  const admissions = await world.store.collection(providerEventAdmissionsCollection).find({}, { limit: 10 });
  const notes = await world.store.collection(mirrorRefreshesCollection).find({}, { limit: 10 });
  const { transition } = world.subscription()!;
  const published = outcomesOf(world);
  const endedWell = admissions.some(({ _id, status }) => world.current.has(_id) && status === 'success');
  return [
    ...formatViolations(checkHistory(evidenceOf(world))),
    ...(endedWell && notes.length === 0 && (await isStale(world))
      ? ['the event ended well, and the mirror is old']
      : []),
    ...(mirroredUnderTransition(world) ? ['an event was mirrored under a transition'] : []),
    ...(notes.length > 0 && !transition ? ['a note is left, and no transition is pending'] : []),
    ...(admissions.some(({ status }) => status === 'pending') ? ['an event is still pending after the restart'] : []),
    ...(admissions.every(({ _id, status }) => published[_id] === status)
      ? []
      : ['an outcome is not published as recorded']),
    ...(world.provider.sends().some(({ operationId }) => operationId !== suspension.operationId)
      ? ['an event has sent something to the provider']
      : []),
  ];
}

type Mutant = (events: EventPorts) => EventPorts;

async function recover(life: EventLife, world: MirroredWorld, { events, type }: Course): Promise<void> {
  await unlessAway(stopInterruptedEvents(life.events, async () => 'superseded'));
  await unlessAway(life.sweepOutbox());
  await unlessAway(life.sweepEvents());
  for (const eventId of events) {
    if (!world.changes.includes(eventId)) await change(world, eventId);
    await deliver(life, world, eventId, type);
  }
  await unlessAway(deliverSettlements(world, life));
  await unlessAway(finishClearing(life.ports));
  await unlessAway(refreshMirrors(life.events));
  await unlessAway(life.sweepOutbox());
  await unlessAway(life.sweepEvents());
  await settle();
}

function scenario(name: string, mutant: Mutant = (events) => events): Scenario<MirroredWorld, EventLife> {
  const course = courses[name]!;
  return {
    name: `mirrored event, ${name}`,
    createWorld: async () => Object.assign(await createOperatorWorld(), { changes: [], current: new Set<string>() }),
    boot: async (world, { tape, incarnation }) => {
      const life = bootEvents(world, incarnation, {
        store: instrument('store', world.watched, tape),
        provider: instrument('provider', world.provider as PaymentProvider, tape),
        broker: instrument('messaging', world.broker, tape),
      });
      const booted = { ...life, events: mutant(life.events) };
      if (incarnation > 1) await unlessAway(stopInterruptedEvents(booted.events, async () => 'superseded'));
      return booted;
    },
    act: async (life, world) => {
      if (course.suspended) await submitOperation(life, world, suspension);
      for (const eventId of course.events) {
        await change(world, eventId);
        for (const _delivery of ['first', 'repeated']) await deliver(life, world, eventId, course.type);
      }
      if (course.suspended) await unlessAway(deliverSettlements(world, life));
    },
    recover: (life, world) => recover(life, world, course),
    check: checkEverything,
    faultsFor: combineFaults(
      storeFaults({ port: 'store', unavailable: () => new StoreUnavailableError('simulated') }),
      messagingFaults({ port: 'messaging' }),
      providerSendFaults<MirroredWorld, (typeof providerFaults)[number]['kind']>({
        port: 'provider',
        kinds: providerFaults.map(({ kind }) => kind),
        arm: (world, kind) => world.provider.failNext(kind),
      }),
      overtaking(),
    ),
  };
}

describe('the crash sweep of mirrored events', () => {
  const results: SweepResult[] = [];
  afterAll(() => process.stdout.write(`${formatSweep(results)}\n`));

  it.each(Object.keys(courses))('finds no violation, whatever fails wherever: %s', async (name) => {
    const result = await runSweep(scenario(name), { pairs: { seed: 12, sample: { lean: 30, full: 300 } } });
    results.push(result);
    assertNoViolations(result);
    expect(result.calls.length).toBeGreaterThan(4);
  });

  it('notices a build that writes the mirror over a later one', async () => {
    const unfenced: Mutant = (events) => {
      const { subscriptions } = events;
      const mutate: typeof subscriptions.mutate = async (current, next, ...rest) =>
        subscriptions.mutate((await subscriptions.findById(current._id)) ?? current, next, ...rest);
      return { ...events, subscriptions: { ...subscriptions, mutate } };
    };
    await assertCaught(scenario('one change', unfenced), /the mirror is old/);
  });

  it('notices a build that leaves no note under a transition', async () => {
    const forgetful: Mutant = (events) => ({
      ...events,
      refreshes: { ...events.refreshes, insert: async (draft) => ({ outcome: 'applied', record: draft as never }) },
    });
    await assertCaught(scenario('a change under a suspension', forgetful), /the mirror is old/);
  });

  it('notices a build that mirrors under a transition', async () => {
    const hasty: Mutant = (events) => {
      const { subscriptions } = events;
      const without = ({ transition: _hidden, ...subscription }: Subscription): Subscription => subscription;
      return {
        ...events,
        subscriptions: {
          ...subscriptions,
          find: async (...query) => (await subscriptions.find(...query)).map(without),
          findById: async (id) => {
            const found = await subscriptions.findById(id);
            return found && without(found);
          },
        },
      };
    };
    await assertCaught(scenario('a change under a suspension', hasty), /mirrored under a transition/);
  });

  it('notices a build that remembers what it read for an earlier event', async () => {
    const remembering: Mutant = (events) => {
      const { provider } = events;
      const read = new Map<string, ReturnType<typeof provider.retrieveSubscription>>();
      const retrieveSubscription: typeof provider.retrieveSubscription = (id) => {
        if (!read.has(id)) read.set(id, provider.retrieveSubscription(id));
        return read.get(id)!;
      };
      return { ...events, provider: { ...provider, retrieveSubscription } };
    };
    await assertCaught(scenario('two changes', remembering), /the mirror is old/);
  });
});
