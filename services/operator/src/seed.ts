/**
 * Seeds the catalog and workspaces of a local platform: JSON on standard input, a line of counts on standard output.
 * Existing records are not changed, so it can run at every start.
 */
import { createIds, silentLog, systemClock, type Revisioned } from '@platform/kernel';
import { connectStore, type Draft, type RevisionedCollection } from '@platform/mongo';
import {
  billedEverySchema,
  planIdSchema,
  subscriptionStatusSchema,
  tenantIdSchema,
} from '@platform/contracts-operator';
import { z } from 'zod';
import { subscriptionsOf } from './access/workflows/announce-access';
import { schemaSteps } from './store/schema-steps';
import { plansCollection } from './catalogue/store/plans';

const seedSchema = z.strictObject({
  plans: z.array(
    z.strictObject({
      planId: planIdSchema,
      name: z.string().min(1),
      amountCents: z.int().min(0),
      currency: z.string().regex(/^[a-z]{3}$/),
      priceId: z.string().optional(),
      billedEvery: billedEverySchema.optional(),
    }),
  ),
  workspaces: z.array(
    z.strictObject({
      tenantId: tenantIdSchema,
      workspaceName: z.string().min(1),
      planId: planIdSchema,
      status: subscriptionStatusSchema,
      ownerEmail: z.email().optional(),
      customerId: z.string().optional(),
      subscriptionId: z.string().optional(),
      itemId: z.string().optional(),
      currentPeriodEnd: z.iso.datetime().optional(),
    }),
  ),
});

async function readInput(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

async function put<T extends Revisioned>(collection: RevisionedCollection<T>, draft: Draft<T>): Promise<number> {
  const insertion = await collection.insert(draft);
  if (insertion.outcome === 'unknown') throw new Error(`${collection.name} ${draft._id}: ${insertion.reason}`);
  return insertion.outcome === 'applied' ? 1 : 0;
}

async function seed(): Promise<void> {
  const { MONGODB_URL: url, MONGODB_DATABASE: database = 'operator' } = process.env;
  if (!url) throw new Error('MONGODB_URL is not set');
  const { plans, workspaces } = seedSchema.parse(JSON.parse(await readInput()));
  const clock = systemClock;
  const store = await connectStore({
    url,
    database,
    schemaSteps,
    clock,
    ids: createIds(clock),
    log: silentLog,
    appName: 'operator-seed',
  });
  try {
    const catalog = store.collection(plansCollection);
    const subscriptions = subscriptionsOf(store, clock);
    await store.ensureIndexes();
    let written = 0;
    for (const { planId, billedEvery, ...plan } of plans) {
      const draft = { _id: planId, ...plan, ...(billedEvery && { billedEvery }), offered: true };
      const one = await put(catalog, draft);
      written += one;
    }
    for (const seeded of workspaces) {
      const { tenantId, ownerEmail, customerId, subscriptionId, itemId, currentPeriodEnd, ...workspace } = seeded;
      const one = await put(subscriptions, {
        _id: tenantId,
        ...workspace,
        ...(ownerEmail && { owner: { userId: ownerEmail, email: ownerEmail } }),
        access: { state: 'open', since: clock.now(), operationId: null },
        accessRevision: 1,
        provider: {
          ...(customerId && { customerId }),
          ...(subscriptionId && { subscriptionId }),
          ...(itemId && { itemId }),
        },
        isComplimentary: false,
        ...(currentPeriodEnd && { currentPeriodEnd: new Date(currentPeriodEnd) }),
      });
      written += one;
    }
    process.stdout.write(`${JSON.stringify({ plans: plans.length, workspaces: workspaces.length, written })}\n`);
  } finally {
    await store.close();
  }
}

seed().catch((error: unknown) => {
  process.stderr.write(`The seed was not written: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
