/**
 * Competing creations on the connections of three processes and a real store, with one card and one identity. The
 * allowed number is committed, one trial is given, and the reservations equal the provider's ledger. A process has
 * fewer creations under way than connections and long waits for the store, so the load of the machine does not decide
 * the result. The full proof has a thousand creations; CREATIONS sets another number.
 */
import { createIds, silentLog, systemClock } from '@platform/kernel';
import { connectStore, type Filter, type RevisionedCollection, type Store } from '@platform/mongo';
import { createLatch, eventually, proofSize, settle, uniqueName } from '@platform/testing';
import type { CreateWorkspace } from '@platform/contracts-provisioning';
import { collectionsOf } from './ports';
import {
  bootProvisioning,
  createProvisioningWorld,
  creationRequest,
  freePlan,
  type ProvisioningLife,
} from '../testing/provisioning-world';
import { createWorkspace } from './create-workspace';
import { reconcile } from './reconcile';

const creations = Number(process.env['CREATIONS'] ?? proofSize({ lean: 200, full: 1_000 }));
const connections = 50;
/** Creations under way in one process: far fewer than it has connections. */
const underWay = 16;
const patientMs = 60_000;
const database = uniqueName('creations').replaceAll('.', '_');
const stores: Store[] = [];

async function connect(): Promise<Store> {
  const url = process.env['TEST_MONGODB_URL'];
  if (!url) throw new Error('the test run provides no document store (TEST_MONGODB_URL)');
  const store = await connectStore({
    url,
    database,
    clock: systemClock,
    ids: createIds(systemClock),
    log: silentLog,
    appName: 'creations',
    startPatienceMs: 120_000,
    maxPoolSize: connections,
    timeouts: { selectMs: patientMs, connectMs: patientMs, answerMs: 2 * patientMs, majorityMs: patientMs },
  });
  stores.push(store);
  collectionsOf(store);
  await store.ensureIndexes();
  return store;
}

afterAll(() => Promise.all(stores.map((store) => store.close())));

/**
 * Distributes the requests to the processes in turn. All processes begin at once, and each continues while it has
 * requests.
 */
async function createAll(processes: readonly ProvisioningLife[], requests: readonly CreateWorkspace[]) {
  const go = createLatch();
  const runs = processes.flatMap(({ ports }, turn) => {
    const own = requests.filter((_request, at) => at % processes.length === turn).values();
    return Array.from({ length: underWay }, async () => {
      await go.wait();
      const answers = [];
      for (const request of own) answers.push(await createWorkspace(ports, request));
      return answers;
    });
  });
  await go.reached(runs.length);
  go.open();
  return (await Promise.all(runs)).flat();
}

/** Every record that matches, page by page. */
async function all<
  T extends { readonly _id: string; readonly revision: string; readonly createdAt: Date; readonly updatedAt: Date },
>(collection: RevisionedCollection<T>, filter: Filter = {}): Promise<T[]> {
  const found: T[] = [];
  for (;;) {
    const last = found.at(-1);
    const page = await collection.find(filter, { sort: { _id: 1 }, limit: 500, ...(last && { after: [last._id] }) });
    found.push(...page);
    if (page.length < 500) return found;
  }
}

describe(`${creations} competing creations on one card and one identity, on a real store`, () => {
  it('commit exactly the allowed number and exactly one trial, and the reservations equal the ledger', async () => {
    const world = await createProvisioningWorld({
      listeners: [],
      limits: { trialDays: 14, creationsPerUser: creations, freeWorkspacesPerCard: 3 },
    });
    const processes = await Promise.all(
      [1, 2, 3].map(async (incarnation) => bootProvisioning(world, incarnation, { store: await connect() })),
    );
    const requests = Array.from({ length: creations }, (_, at) =>
      creationRequest({
        tenantId: `t-${at}`,
        user: { id: 'user-1', email: at % 3 === 0 ? 'ada@example.com' : `Ada+${at}@Example.com` },
        ...(at % 2 === 0 && { plan: freePlan }),
      }),
    );
    const answers = await createAll(processes, requests);
    await settle();
    const { ports } = processes[0]!;
    await reconcile(ports);

    const attempts = await all(ports.attempts);
    const committed = attempts.filter(({ status }) => status === 'committed');
    const [free, paid] = ['free', 'starter'].map((planId) =>
      committed.filter(({ plan }) => plan.planId === planId),
    ) as [typeof committed, typeof committed];
    expect([attempts.length, free.length, paid.length]).toEqual([creations, 3, Math.floor(creations / 2)]);
    expect(answers.filter((answer) => answer.kind === 'refused' && answer.code === 'capacity_exhausted')).toHaveLength(
      Math.ceil(creations / 2) - 3,
    );

    const [card, ...noOther] = await all(ports.capacity);
    expect(noOther).toEqual([]);
    expect(card!.allocations.map(({ tenantId, state }) => `${tenantId} ${state}`).sort()).toEqual(
      free.map(({ tenantId }) => `${tenantId} confirmed`).sort(),
    );
    const onTrial = paid.filter(({ trialDays }) => trialDays === 14);
    expect(onTrial).toHaveLength(1);
    const trials = await all(ports.trials);
    expect(trials.map(({ tenantId }) => tenantId)).toEqual([onTrial[0]!.tenantId, onTrial[0]!.tenantId]);

    const ledger = world.provider.ledger();
    const made = (step: string) => ledger.filter((effect) => effect.step === step);
    expect(
      made('create_customer')
        .map(({ operationId }) => operationId)
        .sort(),
    ).toEqual(committed.map(({ tenantId }) => tenantId).sort());
    expect(
      made('pay_invoice')
        .map(({ operationId }) => operationId)
        .sort(),
    ).toEqual(
      paid
        .filter((attempt) => attempt !== onTrial[0])
        .map(({ tenantId }) => tenantId)
        .sort(),
    );
    expect(
      (await all(ports.markers)).filter(({ provisioningState }) => provisioningState === 'committed'),
    ).toHaveLength(committed.length);
    expect(attempts.filter(({ reservations }) => reservations.state !== 'settled')).toEqual([]);
    process.stdout.write(
      `${creations} competing creations, ${processes.length * underWay} at a time, on a real store: ${free.length} free and ${paid.length} paid committed, 1 trial, ${made('pay_invoice').length} charges\n`,
    );
  });

  it('start as many as one account may, exactly', async () => {
    const world = await createProvisioningWorld({ listeners: [], limits: { creationsPerUser: 20 } });
    const processes = await Promise.all(
      [1, 2].map(async (incarnation) => bootProvisioning(world, incarnation, { store: await connect() })),
    );
    const answers = await createAll(
      processes,
      Array.from({ length: 100 }, (_, at) =>
        creationRequest({ tenantId: `rate-${at}`, user: { id: 'user-2', email: 'ben@example.com' } }),
      ),
    );
    expect(answers.filter(({ kind }) => kind === 'committed')).toHaveLength(20);
    expect(answers.filter((answer) => answer.kind === 'refused' && answer.code === 'rate_limited')).toHaveLength(80);
  });

  it('say `created` once each, from the outbox of a committed marker', async () => {
    const world = await createProvisioningWorld({ listeners: [] });
    const { ports, sweepOutbox } = bootProvisioning(world, 9, { store: await connect() });
    await createWorkspace(
      ports,
      creationRequest({ tenantId: 'said-once', user: { id: 'user-3', email: 'cid@example.com' } }),
    );
    await eventually(() => world.published.length >= 2, { describe: 'both messages of the marker' });
    await sweepOutbox();
    expect(
      world.published.filter(({ body }) => body['tenantId'] === 'said-once').map(({ subject }) => subject),
    ).toEqual(['lifecycle.message.created', 'workspace.committed']);
  });
});
