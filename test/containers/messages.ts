/**
 * Suspends and reactivates one workspace in turn while the broker is disturbed. Each transition is sent as a message to
 * every consumer and returns as a receipt, so an operation that never ends shows that a message was lost.
 */
import type { GatewayClient } from '../../infra/local/demo/gateway-client';
import { slowMachineMs } from './patience';
import { confirmations, type Stage } from './stage';

export interface Messages {
  /** Waits for the current operation to end, and reports all operations as one expectation. */
  stop(): Promise<void>;
}

const pauseMs = 300;
const triesMax = 1_000;
const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, pauseMs));

/** Repeats the work until it returns a value. */
async function untilAnswered<T>(work: () => Promise<T | undefined>): Promise<T | undefined> {
  for (let tries = 0; tries < triesMax; tries += 1) {
    const answer = await work().catch(() => undefined);
    if (answer !== undefined) return answer;
    await pause();
  }
  return undefined;
}

/** Why the transition is not complete; undefined when every consumer has confirmed it. */
async function transition(
  client: GatewayClient,
  tenantId: string,
  action: keyof typeof confirmations,
  operationId: string,
): Promise<string | undefined> {
  const path = `/api/saas/workspaces/${tenantId}/${action}`;
  const accepted = await untilAnswered(async () => {
    const { status } = await client.post(path, { operationId });
    return status < 300 ? status : undefined;
  });
  if (accepted === undefined) return `${operationId} was never accepted`;
  const ended = await untilAnswered(() => client.settled(tenantId, operationId, slowMachineMs));
  const receipts = ended?.lifecycle?.receipts?.length ?? 0;
  return ended?.status === 'succeeded' && receipts >= confirmations[action]
    ? undefined
    : `${operationId}: ${ended?.status ?? 'no end'}, ${receipts} receipts`;
}

/** Starts immediately. `name` is the prefix of every operation id. */
export async function startMessages(stage: Stage, tenantId: string, name: string): Promise<Messages> {
  const client = await stage.gateway();
  const run = `${name}-${Date.now().toString(36)}`;
  const faults: string[] = [];
  let [count, stopped] = [0, false];
  const play = async (): Promise<void> => {
    // A suspended workspace is reactivated before the end, because the next scenes use it.
    while (!stopped || count % 2 === 1) {
      const fault = await transition(client, tenantId, count % 2 === 0 ? 'suspend' : 'reactivate', `${run}-${count}`);
      count += 1;
      if (fault) faults.push(fault);
      await pause();
    }
  };
  const playing = play();
  return {
    async stop() {
      stopped = true;
      await playing;
      stage.expect(
        `${count} transitions meanwhile: every consumer received and confirmed each, no message is lost`,
        count > 0 && faults.length === 0,
        faults.join('; '),
      );
    },
  };
}
