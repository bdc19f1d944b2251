/** When a run is quiescent: no operation is running, and the sweeps have had time to end interrupted work. */
import type { OperationView } from '@platform/contracts-operator';
import { checkHistory, eventually } from '@platform/testing';
import type { GatewayClient } from '../../infra/local/demo/gateway-client';
import { outsideEvidence, type Observed } from './observer/outside-evidence';

const patienceMs = 300_000;
/** A little longer than a round of every sweep and relay that ends work of others. */
const sweepsMs = 90_000;

async function everyOperation(gateway: GatewayClient): Promise<OperationView[]> {
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

/** True once nothing is in transit any more: only operations of dead executors may still be `running`. */
export async function untilQuiet(gateway: GatewayClient): Promise<boolean> {
  const moving = async (): Promise<boolean> =>
    (await everyOperation(gateway)).some(
      ({ status, attempts }) =>
        status === 'awaiting_receipts' || (status === 'running' && attempts.at(-1)?.executorState === 'alive'),
    );
  return eventually(async () => !(await moving()), {
    describe: 'the end of every operation under way',
    deadlineMs: patienceMs,
  }).catch(() => false);
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
