/** Clients that do not give up: suspensions, reactivations and credits, each id asked for until it is answered for good. */
import type { OperationView } from '@platform/contracts-operator';
import { createRandom } from '@platform/testing';
import type { Answer, GatewayClient } from '../../infra/local/demo/gateway-client';

export interface ToldAnswer {
  readonly operationId: string;
  readonly tenantId: string;
  /** 0: the connection was lost or refused. */
  readonly status: number;
  readonly code?: string;
  readonly at: number;
}

export interface Load {
  readonly answers: readonly ToldAnswer[];
  /** Lets every client finish the id it is at. */
  stop(): Promise<void>;
}

export interface LoadOptions {
  readonly gateway: GatewayClient;
  readonly tenantIds: readonly string[];
  readonly clients: number;
  readonly seed: number;
}

type Reply = OperationView & { readonly code?: string };

const actions = ['suspend', 'reactivate', 'balance-credit', 'balance-credit', 'balance-credit'] as const;
const triesMax = 20;
const pauseMs = 150;

export function startLoad({ gateway, tenantIds, clients, seed }: LoadOptions): Load {
  const answers: ToldAnswer[] = [];
  let stopped = false;

  async function ask(tenantId: string, action: string, body: { operationId: string }): Promise<Answer<Reply> | undefined> {
    const answer = await gateway.post<Reply>(`/api/saas/workspaces/${tenantId}/${action}`, body).catch(() => undefined);
    const code = answer?.body.code;
    answers.push({ operationId: body.operationId, tenantId, status: answer?.status ?? 0, ...(code ? { code } : {}), at: Date.now() });
    return answer;
  }

  async function client(number: number): Promise<void> {
    const random = createRandom(seed + number);
    for (let turn = 0; !stopped; turn += 1) {
      const tenantId = random.pick(tenantIds);
      const action = random.pick(actions);
      const operationId = `chaos-${seed}-${number}-${turn}`;
      const body = action === 'balance-credit' ? { operationId, amountCents: 1 + random.below(1_000), reason: 'chaos' } : { operationId };
      for (let tries = 0; tries < triesMax; tries += 1) {
        const answer = await ask(tenantId, action, body);
        // A refusal by a rule is final; what is lost, away or under way is asked again.
        const again = !answer || answer.status >= 500 || answer.status === 202 || answer.body.code === 'operation_running';
        if (!again || answer?.body.code === 'outcome_unknown') break;
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
      }
    }
  }

  const running = Promise.all(Array.from({ length: clients }, (_each, number) => client(number)));
  return {
    answers,
    stop: async () => {
      stopped = true;
      await running;
    },
  };
}
