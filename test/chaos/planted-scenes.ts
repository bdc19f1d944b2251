/**
 * Situations that are too rare by chance: two gateways that read one failed operation before either of them goes on, a
 * suspension of an open workspace and a crash between its journal and its clearing, a workspace that changes between two
 * attempts, and a handler that died while it handled an event, whose receiver starts again.
 */
import { contractOf } from '@platform/contracts-operator';
import { eventually } from '@platform/testing';
import { createGatewayClient, type GatewayClient } from '../../infra/local/demo/gateway-client';
import { seedPlatform } from '../../infra/local/seed-platform';
import type { LocalSettings } from '../../infra/local/settings';
import type { ProviderEventAdmission } from '../../services/operator/src/provider-events/domain/provider-event';
import type { Operation } from '../../services/operator/src/operations/domain/operation';
import type { Subscription } from '../../services/operator/src/mirror/domain/subscription';
import type { Books } from './migration-books';
import { createVersions, type Versions } from './observer/versions';
import type { ChangeTail } from './observer/change-tail';
import type { TimeStage } from './time-scenes';
import { startSuccessor } from './zombie';

export interface PlantedStage extends TimeStage {
  readonly books: Books;
  readonly tail: ChangeTail;
  readonly settings: LocalSettings;
  readonly environment: Readonly<Record<string, string>>;
}

const races = 40;
const credits = '/v1/customers/*/balance_transactions';
const patienceMs = 180_000;
const quarterHourMs = 16 * 60_000;
/** A message whose handler died is delivered again by the relay within a minute, and sooner by the broker. */
const redeliveredWithinMs = 75_000;
/** Longer than the receiver waits for an outcome before it answers a delivery. */
const answeredWithinMs = 15_000;
const other = 'operator-2';

const credit = (operationId: string) => ({ operationId, amountCents: 100, reason: 'chaos in planted scenes' });
const pathOf = (tenantId: string) => `/api/saas/workspaces/${tenantId}/balance-credit`;

/**
 * Both gateways get the same request, every other time for an operation that has failed: then each of them has read it
 * before the other goes on. Whichever loses sends nothing.
 */
async function raceForAttempts({ gateway, twin, seed }: PlantedStage, second: GatewayClient): Promise<void> {
  for (let race = 0; race < races; race += 1) {
    const request = credit(`chaos-${seed}-race-${race}`);
    const ask = (each: GatewayClient) => each.post(pathOf('initech'), request).catch(() => undefined);
    if (race % 2 === 0) {
      await twin.addFault({ match: { method: 'POST', path: credits }, fault: 'rate_limit', times: 1 });
      await ask(gateway);
      await twin.removeFaults();
    }
    await Promise.all([gateway, second, gateway, second].map(ask));
  }
}

async function writeSubscription(
  { books }: PlantedStage,
  tenantId: string,
  change: (record: Subscription) => Subscription,
): Promise<void> {
  await eventually(
    async () => {
      const read = await books.subscriptions.findById(tenantId);
      return read !== null && (await books.subscriptions.mutate(read, change(read))).outcome === 'applied';
    },
    { describe: `the planted change of ${tenantId}`, deadlineMs: patienceMs },
  );
}

const plantedTenant = (seed: number): string => `planted-${seed}`;

/** Before anything else is played: seeding sets the provider's clock. */
export async function plantWorkspace(settings: LocalSettings, seed: number): Promise<void> {
  const tenantId = plantedTenant(seed);
  await seedPlatform(settings, [], [{ tenantId, workspaceName: tenantId, planId: 'starter', status: 'active' }]);
}

/**
 * A suspension of a workspace that nobody else touches and that is open, then its transition as a crash leaves it
 * between the last write of the journal and the clearing.
 */
async function plantTransition(stage: PlantedStage): Promise<void> {
  const { platform, gateway, seed } = stage;
  const tenantId = plantedTenant(seed);
  const operationId = `chaos-${seed}-not-cleared`;
  const answer = await gateway.post<Operation>(`/api/saas/workspaces/${tenantId}/suspend`, { operationId });
  if (answer.status >= 300) throw new Error(`the planted suspension was answered ${answer.status}`);
  const { attempts } = await gateway.settled(tenantId, operationId, patienceMs);
  await platform.kill('operator');
  await writeSubscription(stage, tenantId, (record) => ({
    ...record,
    transition: {
      operationId,
      kind: contractOf('suspend').transition!,
      attempt: attempts.length,
      requestedAt: new Date(),
    },
  }));
  await platform.restart('operator');
}

/** The workspace has another customer when the failed operation is requested again, and then its former one again. */
async function repeatAfterChange(stage: PlantedStage): Promise<void> {
  const { gateway, twin, seed, books } = stage;
  const request = credit(`chaos-${seed}-changed-meanwhile`);
  await twin.addFault({
    match: { method: 'POST', path: credits },
    fault: 'rate_limit',
    times: 1,
  });
  await gateway.post(pathOf('globex'), request).catch(() => undefined);
  await twin.removeFaults();
  const former = (await books.subscriptions.findById('globex'))!.provider.customerId;
  const foreign = (await books.subscriptions.findById('acme'))!.provider.customerId;
  const become = (customerId: string | undefined) =>
    writeSubscription(stage, 'globex', (record) => ({
      ...record,
      provider: { ...record.provider, ...(customerId !== undefined && { customerId }) },
    }));
  await become(foreign);
  await gateway.post(pathOf('globex'), request).catch(() => undefined);
  await become(former);
}

const admissionOf = (versions: Versions, eventId: string) =>
  versions.of('operator', 'provider_event_admissions').get(eventId)?.at(-1)?.record as unknown as
    ProviderEventAdmission | undefined;

/**
 * The second gateway handles the event alone and is killed; the first one gets its message again, much later. The
 * receiver starts again as well: neither it nor the owner has a process that knows what came of the event.
 */
async function killHandler(stage: PlantedStage, killSecond: () => Promise<void>): Promise<ReadonlyMap<string, number>> {
  const { platform, twin, tail, clocks } = stage;
  await platform.kill('operator');
  await twin.addFault({ match: { method: 'GET', path: '/v1/subscriptions/sub_acme' }, fault: 'hold', times: 1 });
  const eventId = await twin.changeSubscription('acme', { 'metadata[chaos]': 'changed' });
  const look = async (): Promise<ProviderEventAdmission | undefined> => {
    await tail.catchUp();
    return admissionOf(createVersions(tail.changes), eventId);
  };
  const admission = await eventually(look, { describe: 'the admission of the event', deadlineMs: patienceMs });
  // The receiver waits for an outcome that does not come, and answers its delivery.
  await new Promise((resolve) => setTimeout(resolve, answeredWithinMs));
  await killSecond();
  await twin.removeFaults();
  await platform.restart('operator');
  await platform.kill('billing-webhook');
  await platform.restart('billing-webhook');
  clocks.jump(quarterHourMs);
  await twin.advance(quarterHourMs / 1_000);
  await new Promise((resolve) => setTimeout(resolve, redeliveredWithinMs));
  const then = await look();
  // Its executor is dead: an outcome that another process wrote is a second run of its handler.
  return new Map([[eventId, admission.status === 'pending' && then?.status !== 'pending' ? 2 : 1]]);
}

/** Returns how often handlers ran, for the events whose runs it has counted. */
export async function playPlanted(stage: PlantedStage, token: string): Promise<ReadonlyMap<string, number>> {
  await plantTransition(stage);
  await repeatAfterChange(stage);
  const second = await startSuccessor(stage.settings, { ...stage.environment, INSTANCE: other });
  try {
    await raceForAttempts(stage, createGatewayClient(second.url, token));
    return await killHandler(stage, () => second.end('SIGKILL'));
  } finally {
    await second.end();
  }
}
