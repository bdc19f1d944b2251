/** When a run is quiescent: no operation is running, and the sweeps have had time to end interrupted work. */
import type { OperationView, WorkItemView } from '@platform/contracts-operator';
import { checkHistory, eventually } from '@platform/testing';
import type { GatewayClient } from '../../infra/local/demo/gateway-client';
import { outsideEvidence, type Observed } from './observer/outside-evidence';

const patienceMs = 300_000;
/** A little longer than a round of every sweep and relay that ends work of others. */
const sweepsMs = 90_000;

type Reader = Pick<GatewayClient, 'get'>;

async function everyOperation(gateway: Reader): Promise<OperationView[]> {
  const found: OperationView[] = [];
  let cursor: string | undefined;
  do {
    const { status, body } = await gateway.get<{ operations: OperationView[]; nextCursor?: string }>(
      `/api/saas/operations?limit=100${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ''}`,
    );
    if (status !== 200) throw new Error(`the list of operations was answered ${status}: ${JSON.stringify(body)}`);
    found.push(...body.operations);
    cursor = body.nextCursor;
  } while (cursor);
  return found;
}

/** Whether the workspace's deletion stopped at provisioning: a listener refused, or its caller died. */
async function isDeletionStopped(gateway: Reader, tenantId: string): Promise<boolean> {
  const { status, body } = await gateway.get<{ items: WorkItemView[] }>(
    `/api/saas/work-queue?kind=deletion&tenantId=${encodeURIComponent(tenantId)}`,
  );
  if (status !== 200) throw new Error(`the work queue was answered ${status}: ${JSON.stringify(body)}`);
  return body.items.some(({ state }) => state === 'stopped' || state === 'interrupted');
}

async function isMoving(gateway: Reader, { status, action, tenantId, attempts }: OperationView): Promise<boolean> {
  if (status === 'running') return attempts.at(-1)?.executorState === 'alive';
  if (status !== 'awaiting_receipts') return false;
  return action !== 'delete_workspace' || !(await isDeletionStopped(gateway, tenantId));
}

/**
 * True once nothing is in transit any more: what still waits has a dead executor, or is a deletion that stopped. Both
 * wait for a person.
 */
export async function untilQuiet(gateway: Reader, deadlineMs = patienceMs): Promise<boolean> {
  const isQuiet = async (): Promise<boolean> => {
    for (const operation of await everyOperation(gateway)) if (await isMoving(gateway, operation)) return false;
    return true;
  };
  return eventually(isQuiet, { describe: 'the end of every operation under way', deadlineMs }).catch(() => false);
}

/**
 * The observations at the moment when the history shows no violation that time could still end, and at the latest after
 * every sweep has had its round; the checker judges what is wrong then.
 */
export async function untilAtRest(look: () => Promise<Observed>): Promise<Observed> {
  let last: Observed | undefined;
  const clean = async (): Promise<boolean> => {
    last = await look();
    return checkHistory(outsideEvidence(last)).length === 0;
  };
  await eventually(clean, { describe: 'a history at rest', deadlineMs: sweepsMs }).catch(() => undefined);
  return last ?? look();
}
