/**
 * Every fault at every port call of rounds in a process that lives on. Nothing is announced or repeated, so what a round
 * leaves incomplete only a later round of the same process can find, by its memory.
 */
import { StoreUnavailableError } from '@platform/mongo';
import { createFakeBroker } from '@platform/messaging/testing';
import { createFakeStore } from '@platform/mongo/testing';
import { createManualClock, createSequentialIds, silentLog } from '@platform/kernel';
import { forged } from '@platform/durable/testing';
import {
  assertNoViolations,
  combineFaults,
  formatSweep,
  instrument,
  messagingFaults,
  runSweep,
  storeFaults,
  type Scenario,
} from '@platform/testing';
import { assembleDelivery } from './delivery';
import { retryLimits } from './domain/retry';
import type { AwaitingMessage, MessageRecord } from './domain/lifecycle-message';
import { deliveriesCollection } from './store/deliveries';
import { messagesCollection } from './store/messages';
import { completeDeliveries } from './workflows/complete-deliveries';
import { registerConsumer } from './workflows/register-consumer';
import { newRoundMemory, retryDeliveries, type RoundMemory } from './workflows/retry-deliveries';

function createWorld() {
  const clock = createManualClock();
  const store = createFakeStore({ clock, ids: createSequentialIds() });
  const broker = createFakeBroker({ clock });
  const [deliveries, messages] = [store.collection(deliveriesCollection), store.collection(messagesCollection)];
  const violations = new Set<string>();
  const missing = (): string[] => [
    ...(deliveries.all().some(({ operationId }) => operationId === 'left') ? [] : ['a delivery was never written']),
    ...(messages.all().find(({ _id }) => _id === 'ended')?.status === 'settled' ? [] : ['a message never settled']),
  ];
  return { clock, store, broker, violations, missing };
}
type World = ReturnType<typeof createWorld>;

const assembled = ({ clock }: World, store: World['store'], messaging: ReturnType<World['broker']['connect']>) =>
  assembleDelivery({ store, messaging, clock, random: () => 0, log: silentLog }).ports;

/** One message whose process died before it wrote the delivery; one whose tenant was deleted before its delivery left. */
async function prepare(world: World): Promise<void> {
  const { store, broker, clock } = world;
  const ports = assembled(world, store, broker.connect('before'));
  await registerConsumer(ports, { name: 'storage', transitions: ['suspended'], registeredBy: 's-1', renew: false });
  const accepted = async (_id: string, tenantId: string): Promise<AwaitingMessage> => {
    const draft = { _id, tenantId, transition: 'suspended' as const, required: ['storage'], requestedAt: clock.now() };
    await ports.messages.insert(forged<MessageRecord>({ ...draft, status: 'awaiting_receipts' }));
    return (await ports.messages.findById(_id)) as AwaitingMessage;
  };
  await accepted('left', 'acme');
  await completeDeliveries(ports, await accepted('ended', 'globex'));
  await ports.deletedTenants.insert({ _id: 'globex', operationId: 'delete-globex', deletedAt: clock.now() });
  broker.wipe();
  broker.applyTopology();
}

type MemoryOf = (world: World) => RoundMemory;
interface Life {
  round(kind: 'due' | 'everything'): Promise<void>;
}

const scenario = (memoryOf: MemoryOf = newRoundMemory): Scenario<World, Life> => ({
  name: 'rounds of one process',
  createWorld,
  async boot(world, { tape }) {
    const store = instrument('store', world.store, tape);
    const messaging = instrument('messaging', world.broker.connect('lifecycle-delivery'), tape);
    const ports = assembled(world, store, messaging);
    const memory = memoryOf(world);
    const round: Life['round'] = async (kind) => {
      world.clock.advance(retryLimits.intervalMs * (1 + retryLimits.spread));
      // After a round that finds the store unreachable, another one follows; see retry-worker.
      await retryDeliveries(ports, store, { kind }, memory).catch(() => undefined);
    };
    return { round };
  },
  async act(life, world) {
    await prepare(world);
    for (let count = 0; count < 3; count += 1) await life.round('due');
    for (const violation of world.missing()) world.violations.add(`${violation} by the process that lived on`);
  },
  recover: (life) => life.round('everything'),
  check: ({ violations, missing }) => [...violations, ...missing()],
  faultsFor: combineFaults<World>(
    storeFaults({ port: 'store', unavailable: () => new StoreUnavailableError('simulated') }),
    messagingFaults({ port: 'messaging' }),
  ),
});

/** Takes every message of a round for complete. */
const forgetsTheIncomplete: MemoryOf = ({ clock }) => {
  let upTo: Date | null = null;
  return {
    owed: new Set(),
    get completeUpTo() {
      return upTo;
    },
    set completeUpTo(_given) {
      upTo = new Date(clock.now().getTime() - retryLimits.lateRecordsMs);
    },
  };
};
/** Takes every settlement for made. */
const owesNothing: MemoryOf = () => {
  const owed = new Set<string>();
  owed.add = () => owed;
  return { ...newRoundMemory(), owed };
};

describe('the sweep of rounds in one process', () => {
  it('finds no violation for any fault at any port call', async () => {
    const result = await runSweep(scenario());
    process.stdout.write(`${formatSweep([result])}\n`);
    assertNoViolations(result);
    expect(result.calls.length).toBeGreaterThan(30);
  });

  it.each([
    ['forgets what it could not complete', forgetsTheIncomplete, 'a delivery was never written by the process'],
    ['forgets the settlement that it owes', owesNothing, 'a message never settled by the process'],
  ])('fails when a round %s', async (_law, memoryOf, violation) => {
    expect(formatSweep([await runSweep(scenario(memoryOf))])).toContain(violation);
  });
});
