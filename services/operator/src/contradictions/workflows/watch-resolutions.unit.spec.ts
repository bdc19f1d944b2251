/**
 * Recorded resolutions are read again for a day. Late evidence is announced once, by the first replica that sees it,
 * and stays in the queue until a person has settled it. Effects of other operations are no contradiction.
 */
import { ok, silentLog, type OutboxEntry } from '@platform/kernel';
import type { Messaging } from '@platform/messaging';
import { StoreUnavailableError } from '@platform/mongo';
import type { PaymentProvider } from '@platform/payment-provider';
import { assertNoViolations, instrument, runSweep, storeFaults } from '@platform/testing';
import { planMigrationItemsCollection } from '../../migrations/store/plan-migration-items';
import { operationsCollection } from '../../operations/store/operations';
import { exampleRequest } from '../../operations/testing/example-worlds';
import { unlessAway } from '../../operations/testing/submit-operation';
import { operationInvestigation } from '../../operations/workflows/resolve-operation';
import { runOperation } from '../../operations/workflows/run-operation';
import { bootOperator, createOperatorWorld, type OperatorWorld } from '../../testing/operator-world';
import { withContradictions } from '../../work-queue/workflows/contradicted-work';
import { contradictionsCollection } from '../store/contradictions';
import { closeContradiction } from './close-contradiction';
import { watchedHours } from '@platform/durable/investigation';
import { createResolutionWatch } from './watch-resolutions';

const hour = 3_600_000;

/** Owners of creations and events that report nothing. */
const quiet: Pick<Messaging, 'request'> = { request: async () => ok({ contradicted: [] }) };

function open(world: OperatorWorld, announced: OutboxEntry[] = [], messaging = quiet) {
  const { ports } = bootOperator(world, 5);
  const contradictions = world.store.collection(contradictionsCollection);
  const watch = () =>
    createResolutionWatch({
      ...ports,
      items: world.store.collection(planMigrationItemsCollection),
      messaging,
      contradictions,
      publishNow: (_id, entries) => void announced.push(...entries),
      service: 'operator',
      log: silentLog,
    });
  return { ports, contradictions, watch };
}

const credit = exampleRequest('credit_customer');

/** A credit whose answer was lost before it took effect, resolved as not applied when nothing could arrive any more. */
async function resolved(outcome: 'applied' | 'not_applied' = 'not_applied'): Promise<OperatorWorld> {
  const world = await createOperatorWorld();
  const { ports } = bootOperator(world, 1);
  world.provider.failNext(outcome === 'applied' ? 'lost_answer_after_effect' : 'lost_answer_before_effect');
  await runOperation(ports, credit);
  world.clock.advance(600_000);
  const made = world.provider.ledger().find(({ operationId }) => operationId === credit.operationId);
  const planned = await operationInvestigation.plan(ports, {
    id: credit.operationId,
    outcome,
    executorStopped: 'its host was shut down',
    providerObject: made?.objectId ?? null,
    by: 'ann@example.com',
  });
  if (!planned.ok) throw new Error(planned.error);
  await operationInvestigation.record(ports, planned.value);
  return world;
}

/** The lost request arrives late. */
async function arrive(world: OperatorWorld): Promise<void> {
  const { values } = world.operations().find(({ _id }) => _id === credit.operationId)!;
  await world.provider
    .prepare(
      { operationId: credit.operationId },
      {
        step: 'balance_credit',
        customerId: 'cus_acme',
        amountCents: Number(values['amountCents']),
        currency: 'usd',
        description: String(values['reason']),
      },
    )
    .send();
}

describe('a recorded resolution', () => {
  it('that the provider bears is read again, and nothing is sent, written or announced', async () => {
    for (const outcome of ['applied', 'not_applied'] as const) {
      const world = await resolved(outcome);
      const { watch, contradictions } = open(world);
      const sends = world.provider.sends().length;
      expect(await watch()()).toBe(0);
      expect(contradictions.all()).toEqual([]);
      expect(world.provider.sends()).toHaveLength(sends);
    }
  });

  it('whose request arrives late is announced once, whatever replicas and rounds see it, and stays as it was', async () => {
    const world = await resolved();
    const announced: OutboxEntry[] = [];
    const { watch, contradictions } = open(world, announced);
    const [one, other] = [watch(), watch()];
    await one();
    const before = world.operations();
    await arrive(world);
    await Promise.all([one(), other()]);
    await one();
    expect(contradictions.all()).toMatchObject([
      {
        _id: `operation:${credit.operationId}`,
        status: 'open',
        resolvedBy: 'ann@example.com',
        text: expect.stringContaining('customer balance transaction'),
        objects: [expect.stringMatching(/^cbtxn_/)],
      },
    ]);
    expect(announced.map(({ body }) => body)).toMatchObject([
      { kind: 'operation', id: credit.operationId, run: `npm run ops -- show operation ${credit.operationId}` },
    ]);
    expect(world.operations()).toEqual(before);
  });

  it('of which the provider shows nothing any more is contradicted, too, where nothing could hide it', async () => {
    const world = await resolved('applied');
    const { ports, contradictions } = open(world);
    const blind = {
      ...ports,
      provider: {
        ...ports.provider,
        listBalanceTransactions: async () => ({ outcome: 'succeeded' as const, value: [] }),
      },
    };
    const look = createResolutionWatch({
      ...blind,
      items: world.store.collection(planMigrationItemsCollection),
      messaging: quiet,
      contradictions,
      publishNow: () => undefined,
      service: 'operator',
      log: silentLog,
    });
    expect(await look()).toBe(1);
  });

  it('is not contradicted by a provider that cannot be read, nor by what other operations do', async () => {
    const world = await resolved();
    const { ports, watch, contradictions } = open(world);
    await runOperation(ports, { ...credit, operationId: 'op-credit-again-1' });
    expect(await watch()()).toBe(0);
    await arrive(world);
    const silent = { listBalanceTransactions: async () => ({ outcome: 'unknown' as const, reason: 'time-out' }) };
    const look = createResolutionWatch({
      ...ports,
      provider: { ...ports.provider, ...silent },
      items: world.store.collection(planMigrationItemsCollection),
      messaging: quiet,
      contradictions,
      publishNow: () => undefined,
      service: 'operator',
      log: silentLog,
    });
    expect(await look()).toBe(0);
    expect(await watch()()).toBe(1);
  });

  it(`is watched for ${watchedHours} hours`, async () => {
    const world = await resolved();
    const { watch } = open(world);
    await arrive(world);
    world.clock.advance(watchedHours * hour);
    expect(await watch()()).toBe(0);
  });

  it('that is contradicted is in the queue until a person has settled it', async () => {
    const world = await resolved();
    const { ports, watch, contradictions } = open(world);
    await arrive(world);
    await watch()();
    const nothing = { kind: 'operation' as const, segments: [], read: async () => null };
    const prices = {
      ofPlan: async () => null,
      ofWorkspace: async () => null,
      ofOperation: async () => null,
      ofMigration: async () => null,
    };
    const owner = withContradictions(nothing, contradictions, prices);
    const row = { kind: 'operation', itemId: credit.operationId, state: 'stopped', status: 'contradicted' };
    expect(await owner.read(credit.operationId)).toMatchObject(row);
    expect(await owner.segments[0]!.page(undefined)).toMatchObject({ facts: [row] });
    const closing = { contradictions, clock: ports.clock, retryPolicy: ports.retryPolicy };
    const end = { by: 'ben@example.com', reason: 'the credit was taken back at the provider' };
    expect(await closeContradiction(closing, credit.operationId, end)).toMatchObject({
      ok: true,
      value: { status: 'closed', end },
    });
    expect((await closeContradiction(closing, credit.operationId, end)).ok).toBe(false);
    expect(await owner.read(credit.operationId)).toBeNull();
    expect(await watch()()).toBe(0);
  });

  it('lets one of two people close what both read', async () => {
    const world = await resolved();
    const { ports, watch, contradictions } = open(world);
    await arrive(world);
    await watch()();
    const closing = { contradictions, clock: ports.clock, retryPolicy: ports.retryPolicy };
    const ends = await Promise.all(
      ['ann', 'ben'].map((name) =>
        closeContradiction(closing, credit.operationId, { by: `${name}@example.com`, reason: 'taken back' }),
      ),
    );
    expect(ends.filter(({ ok }) => ok)).toHaveLength(1);
  });
});

describe('the watch over resolutions', () => {
  it('goes through all of them, a bounded page in each round', async () => {
    const world = await resolved();
    const { ports, watch } = open(world);
    const [template] = world.operations();
    const collection = world.store.collection(operationsCollection);
    for (let each = 0; each < 60; each += 1) {
      const { revision: _revision, outbox: _outbox, ...copy } = template!;
      await collection.insert({ ...copy, _id: `op-copy-${String(each).padStart(4, '0')}` } as never);
    }
    const read: string[] = [];
    const listing = ports.provider.listBalanceTransactions;
    ports.provider.listBalanceTransactions = (customerId) => {
      read.push(customerId);
      return listing(customerId);
    };
    const round = watch();
    const counts: number[] = [];
    for (let each = 0; each < 4; each += 1) {
      const before = read.length;
      await round();
      counts.push(read.length - before);
    }
    expect(counts).toEqual([25, 25, 11, 25]);
  });

  it('loses no contradiction and announces none twice, wherever it crashes', async () => {
    interface Life {
      readonly look: () => Promise<unknown>;
    }
    const result = await runSweep<OperatorWorld, Life>({
      name: 'the watch over resolutions',
      createWorld: async () => {
        const world = await resolved();
        await arrive(world);
        return world;
      },
      boot: async (world, { tape, incarnation }) => {
        const { ports } = bootOperator(world, incarnation, {
          store: instrument('store', world.store, tape),
          provider: instrument('provider', world.provider as PaymentProvider, tape),
        });
        const store = instrument('store', world.store, tape);
        const look = createResolutionWatch({
          ...ports,
          items: store.collection(planMigrationItemsCollection),
          messaging: quiet,
          contradictions: store.collection(contradictionsCollection),
          publishNow: () => undefined,
          service: 'operator',
          log: silentLog,
        });
        return { look: () => unlessAway(look()) };
      },
      act: async ({ look }) => void (await look()),
      recover: async ({ look }) => {
        await look();
        await look();
      },
      check: (world) => {
        const found = world.store.collection(contradictionsCollection).all();
        const alerts = found.flatMap(({ outbox = [] }) => outbox.map(({ id }) => id));
        return found.length === 1 && alerts.length === 1
          ? []
          : [`${found.length} contradictions with ${alerts.length} alerts`];
      },
      faultsFor: storeFaults({ port: 'store', unavailable: () => new StoreUnavailableError('simulated') }),
    });
    assertNoViolations(result);
    expect(result.calls.length).toBeGreaterThan(3);
  });
});
