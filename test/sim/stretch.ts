/**
 * Time proves nothing, as a property of pairs: the same history, once with a short pause and once with the pause a
 * thousandfold, leaves the same journal. An executor sleeps somewhere on its way, a successor is asked for the same, and
 * between these steps no process moves for a while. Every pause stays within the retry window and the life of a key,
 * which are the only limits that time may set.
 */
import { providerFaults } from '@platform/payment-provider/testing';
import { createRandom, type Random } from '@platform/testing';
import { webhookEventsCollection } from '../../services/billing-webhook/src/store/webhook-events';
import { deliveriesCollection } from '../../services/lifecycle-delivery/src/store/deliveries';
import { planMigrationItemsCollection } from '../../services/operator/src/migrations/store/plan-migration-items';
import { planMigrationsCollection } from '../../services/operator/src/migrations/store/plan-migrations';
import { subscriptionsCollection } from '../../services/operator/src/mirror/store/subscriptions';
import { operationsCollection } from '../../services/operator/src/operations/store/operations';
import { providerEventAdmissionsCollection } from '../../services/operator/src/provider-events/store/provider-event-admissions';
import {
  admissionsCollection,
  attemptsCollection,
  capacityCollection,
  markersCollection,
  trialsCollection,
} from '../../services/provisioning/src/store/collections';
import { useVirtualTime } from './engine/virtual-time';
import { begin, type Action, type Stage } from './world/actions';
import { createFleet } from './world/fleet';
import { planActions } from './world/plan-actions';
import { createProviderCaller } from './world/provider-events';
import { createWorld, type World } from './world/world';

const shortMs = 20_000;
const factor = 1_000;
/**
 * The pause is followed by a round of every sweep, so that it is no sweep that makes the difference. With the short pause
 * all of it takes less than a quarter of an hour.
 */
const roundMs = 320_000;
const bootedMs = 30_000;
const stepsMax = 60_000;
const quiet = { crash: 0, freeze: 0, answer: 0, late: 0 };
const pausable = new Set(['ask', 'create', 'migrate', 'provider_event']);

export interface Pair {
  readonly seed: number;
  readonly action: string;
  /** Lines of the two journals that differ, the short history's first. */
  readonly differences: readonly string[];
}

const callsOf = (calls: readonly { readonly idempotencyKey?: string; readonly outcome?: string }[]): string =>
  calls.map(({ idempotencyKey, outcome = 'open' }) => `${idempotencyKey}=${outcome}`).join(' ');

/** Whether there was something to mirror depends on what came first, the event or what had caused it. */
const handled = (end: string): string => (end === 'success' || end === 'skipped' ? 'handled' : end);

/** What the records say, without the instants at which they say it. */
function journalOf({ databases, provider }: World): string[] {
  const [operator, provisioning] = [databases.operator.store, databases.provisioning.store];
  const lines = [
    ...operator
      .collection(operationsCollection)
      .all()
      .map(({ _id, status, attempts }) => {
        const each = attempts.map(({ providerCalls }) => `[${callsOf(providerCalls)}]`);
        return `operation ${_id}: ${status} ${each.join(' ')}`;
      }),
    ...operator
      .collection(subscriptionsCollection)
      .all()
      .map(({ _id, access, transition }) => `workspace ${_id}: ${access.state} ${transition?.operationId ?? ''}`),
    ...operator
      .collection(planMigrationsCollection)
      .all()
      .map(({ _id, status }) => `migration ${_id}: ${status}`),
    ...operator
      .collection(planMigrationItemsCollection)
      .all()
      .map(({ _id, status, providerCalls }) => `item ${_id}: ${status} ${callsOf(providerCalls)}`),
    ...operator
      .collection(providerEventAdmissionsCollection)
      .all()
      .map(({ _id, status }) => `admission ${_id}: ${handled(status)}`),
    ...provisioning
      .collection(admissionsCollection)
      .all()
      .map(
        (each) => `admission ${each._id}: ${handled(each.status === 'completed' ? each.outcome.kind : each.status)}`,
      ),
    ...provisioning
      .collection(attemptsCollection)
      .all()
      .map(({ _id, status, providerCalls }) => `creation ${_id}: ${status} ${callsOf(providerCalls)}`),
    ...provisioning
      .collection(markersCollection)
      .all()
      .map(({ _id, provisioningState }) => `marker ${_id}: ${provisioningState}`),
    ...provisioning
      .collection(capacityCollection)
      .all()
      .map(({ _id, allocations }) => `capacity ${_id}: ${allocations.map((each) => each.tenantId).join(' ')}`),
    ...provisioning
      .collection(trialsCollection)
      .all()
      .map(({ _id, tenantId }) => `trial ${_id}: ${tenantId}`),
    ...databases['billing-webhook'].store
      .collection(webhookEventsCollection)
      .all()
      .map(({ _id, result }) => `event ${_id}: ${handled(result)}`),
    ...databases['lifecycle-delivery'].store
      .collection(deliveriesCollection)
      .all()
      .map(({ operationId, consumer, status }) => `delivery ${operationId}/${consumer}: ${status}`),
    ...provider.ledger().map(({ idempotencyKey, step }) => `effect ${idempotencyKey}: ${step}`),
  ];
  return lines.sort();
}

async function pass({ world: { timeline }, caller }: Stage, milliseconds: number): Promise<void> {
  const until = timeline.time + milliseconds;
  do {
    for (;;) {
      await timeline.rest();
      caller.notice();
      if (!timeline.step()) break;
      if (timeline.steps > stepsMax) throw new Error(`a stretched history did not end within ${stepsMax} steps`);
    }
  } while (timeline.jump(until));
}

type Service = 'operator' | 'provisioning';

/** Goes on until the service has written so often, or has nothing to write any more. */
async function untilWritten({ world, caller }: Stage, service: Service, writes: number): Promise<void> {
  const { timeline, databases } = world;
  const log = databases[service].recorder.logs.writes;
  const before = log.length;
  for (let step = 0; step < 400 && log.length - before < writes; step += 1) {
    await timeline.rest();
    caller.notice();
    if (!timeline.step() && !timeline.jump()) return;
  }
}

const serviceOf = ({ do: kind }: Action): Service => (kind === 'create' ? 'provisioning' : 'operator');

function repeat(stage: Stage, action: Action): void {
  if (action.do === 'provider_event') stage.world.broker.redeliverAll();
  else begin(stage, action);
}

/** What one pair plays; the same choices whatever the pauses are. */
interface Script {
  readonly seed: number;
  readonly action: Action;
  readonly fault: (typeof providerFaults)[number]['kind'] | null;
  /** Its executor falls asleep after so many writes of its service. */
  readonly writes: number;
}

function scriptOf(seed: number): Script {
  const random: Random = createRandom(seed ^ 0x3b1f7a95);
  const among = Array.from({ length: 40 }, (_, at) => planActions(seed * 64 + at)).flat();
  const kind = random.pick([...pausable]);
  const action = random.pick(among.filter((each) => each.do === kind));
  const fault = random.next() < 0.4 ? random.pick(providerFaults).kind : null;
  return { seed, action, fault, writes: 1 + random.below(6) };
}

async function play({ seed, action, fault, writes }: Script, pauseMs: number): Promise<string[]> {
  const world = await createWorld({ seed, rates: quiet });
  const release = useVirtualTime(world.timeline);
  const fleet = createFleet(world);
  const caller = createProviderCaller(world, fleet);
  const stage: Stage = { world, fleet, caller, underWay: new Set(), repeats: 0 };
  const { timeline } = world;
  try {
    timeline.direct = true;
    fleet.start();
    await pass(stage, 1);
    fleet.startConsumers();
    await pass(stage, 1);
    timeline.direct = false;
    // Consumers that fail by chance would make a difference of their own.
    world.faults.cease();
    if (fault) world.provider.failNext(fault);
    begin(stage, action);
    await untilWritten(stage, serviceOf(action), writes);
    // Whichever replica works on it.
    for (let replica = 0; replica < 2; replica += 1) fleet.hang(timeline.random, serviceOf(action));
    await pass(stage, bootedMs);
    timeline.leap(pauseMs);
    await pass(stage, roundMs);
    repeat(stage, action);
    await pass(stage, bootedMs);
    while (fleet.thaw()) await pass(stage, roundMs);
    // Events follow effects by chance; those that are not asked for have their own order.
    return journalOf(world).filter((line) => action.do === 'provider_event' || !/^(event|admission) /.test(line));
  } finally {
    release();
  }
}

/** Plays a history with a short pause and with a long one. */
export async function playPair(seed: number): Promise<Pair> {
  const script = scriptOf(seed);
  const [short, long] = [await play(script, shortMs), await play(script, shortMs * factor)];
  const differences = [
    ...short.filter((line) => !long.includes(line)).map((line) => `short: ${line}`),
    ...long.filter((line) => !short.includes(line)).map((line) => `long:  ${line}`),
  ];
  return { seed, action: JSON.stringify(script.action), differences };
}
