/**
 * Situations that are too rare by chance: one id sent to two gateways at the same instant, a crash between the journal
 * and the clearing, a workspace that changes between two attempts, a handler that died while it handled an event.
 */
import { contractOf } from '@platform/contracts-operator';
import { eventually } from '@platform/testing';
import { createGatewayClient, type GatewayClient } from '../../infra/local/demo/gateway-client';
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
const patienceMs = 180_000;
const quarterHourMs = 16 * 60_000;
/** A message whose handler died is delivered again by the relay within a minute, and sooner by the broker. */
const redeliveredWithinMs = 75_000;
const other = 'operator-2';

const credit = (operationId: string) => ({ operationId, amountCents: 100, reason: 'chaos in planted scenes' });
const pathOf = (tenantId: string) => `/api/saas/workspaces/${tenantId}/balance-credit`;

/** Both gateways get the same request; the one that loses sends nothing. */
async function raceForAttempts({ gateway, seed }: PlantedStage, second: GatewayClient): Promise<void> {
  for (let race = 0; race < races; race += 1) {
    const request = credit(`chaos-${seed}-race-${race}`);
    await Promise.all([gateway, second].map((each) => each.post(pathOf('initech'), request).catch(() => undefined)));
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

/** The state after a crash between the last write of the journal and the clearing. */
async function plantTransition(stage: PlantedStage): Promise<void> {
  const { platform, gateway, seed } = stage;
  const operationId = `chaos-${seed}-not-cleared`;
  const answer = await gateway.post<Operation>('/api/saas/workspaces/initech/suspend', { operationId });
  if (answer.status >= 300) return;
  const { attempts } = await gateway.settled('initech', operationId, patienceMs);
  await platform.kill('operator');
  await writeSubscription(stage, 'initech', (record) => ({
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
    match: { method: 'POST', path: '/v1/customers/*/balance_transactions' },
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

/** The gateway that handles the event is killed; the other one gets the event's message again, much later. */
async function killHandler(stage: PlantedStage, killOther: () => Promise<void>): Promise<ReadonlyMap<string, number>> {
  const { platform, twin, tail, clocks } = stage;
  const path = '/v1/subscriptions/sub_acme';
  await twin.addFault({ match: { method: 'GET', path }, fault: 'hold', times: 1 });
  const eventId = await twin.changeSubscription('acme', { 'metadata[chaos]': 'changed' });
  const look = async (): Promise<ProviderEventAdmission | undefined> => {
    await tail.catchUp();
    return admissionOf(createVersions(tail.changes), eventId);
  };
  const admission = await eventually(look, { describe: 'the admission of the event', deadlineMs: patienceMs });
  if (admission.status !== 'pending') return new Map();
  const isOther = admission.executor.instance === other;
  await (isOther ? killOther() : platform.kill('operator'));
  await twin.removeFaults();
  clocks.jump(quarterHourMs);
  await twin.advance(quarterHourMs / 1_000);
  await new Promise((resolve) => setTimeout(resolve, redeliveredWithinMs));
  const then = await look();
  if (!isOther) await platform.restart('operator');
  // The executor is dead, so an outcome that another process wrote means a second run of its handler.
  return new Map([[eventId, then?.status === 'pending' ? 1 : 2]]);
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
