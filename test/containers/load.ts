/**
 * Requests credits from clients that repeat each id, at the other gateway when one does not respond, until the answer
 * is final. The provider's ledger then decides: one effect for every id, and no id without an effect.
 */
import { eventually } from '@platform/testing';
import type { GatewayClient } from '../../infra/local/demo/gateway-client';
import type { TwinClient } from '../../infra/local/demo/twin-client';
import { slowMachineMs } from './patience';

export interface Load {
  /** Lets every client finish its current id. */
  stop(): Promise<Verdict>;
}

export interface Verdict {
  readonly ids: number;
  /** The number of times that an id was sent again. */
  readonly repeats: number;
  /** One sentence for each fault. */
  readonly faults: readonly string[];
}

export interface LoadOptions {
  /** One or more addresses of the same system. */
  readonly gateways: readonly GatewayClient[];
  readonly twin: TwinClient;
  readonly tenantIds: readonly string[];
  /** The prefix of every id; unique for the life of the deployment. */
  readonly name: string;
}

const clients = 4;
const pauseMs = 400;
const triesMax = 2_000;
const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, pauseMs));
/** Statuses after which an id need not be sent again, because the gateway has recorded the operation. */
const isFinal = (status: number): boolean => status === 200 || status === 201 || status === 202;

export function startLoad({ gateways, twin, tenantIds, name }: LoadOptions): Load {
  const ids: { readonly tenantId: string; readonly operationId: string }[] = [];
  let repeats = 0;
  let stopped = false;
  const faults: string[] = [];

  async function send(tenantId: string, operationId: string, at: number): Promise<void> {
    const body = { operationId, amountCents: 1, reason: 'containers' };
    for (let tries = 0; tries < triesMax; tries += 1) {
      if (tries > 0) repeats += 1;
      const gateway = gateways[(at + tries) % gateways.length];
      const answer = await gateway
        ?.post(`/api/saas/workspaces/${tenantId}/balance-credit`, body)
        .catch(() => undefined);
      if (answer && isFinal(answer.status)) return;
      if (answer && answer.status < 500 && answer.status !== 409 && answer.status !== 429)
        return void faults.push(`${operationId} was refused with ${answer.status}`);
      await pause();
    }
    faults.push(`${operationId} was never answered`);
  }

  async function client(at: number): Promise<void> {
    for (let count = 0; !stopped; count += 1) {
      const tenantId = tenantIds[(at + count) % tenantIds.length] ?? '';
      const operationId = `${name}-${at}-${count}`;
      ids.push({ tenantId, operationId });
      await send(tenantId, operationId, at);
      await pause();
    }
  }

  const running = Array.from({ length: clients }, (_each, at) => client(at));
  return {
    async stop() {
      stopped = true;
      await Promise.all(running);
      const [gateway] = gateways;
      for (const { tenantId, operationId } of ids) {
        const fault = await judge(gateway, twin, tenantId, operationId);
        if (fault) faults.push(fault);
      }
      return { ids: ids.length, repeats, faults };
    },
  };
}

async function judge(
  gateway: GatewayClient | undefined,
  twin: TwinClient,
  tenantId: string,
  operationId: string,
): Promise<string | undefined> {
  const status = await eventually(
    async () => {
      const operation = await gateway?.operation(tenantId, operationId);
      return operation && operation.status !== 'running' && operation.status !== 'pending' && operation.status;
    },
    { describe: `an end of ${operationId}`, deadlineMs: slowMachineMs },
  ).catch((error: Error) => error.message);
  const effects = (await twin.effects(operationId)).length;
  return status === 'succeeded' && effects === 1
    ? undefined
    : `${operationId}: ${status}, ${effects} effects at the provider`;
}
