/**
 * Clients that do not give up: suspensions, reactivations, credits and new workspaces, each id asked for until it is
 * answered for good.
 */
import type { OperationView } from '@platform/contracts-operator';
import { createRandom, type Random } from '@platform/testing';
import type { Answer, GatewayClient } from '../../infra/local/demo/gateway-client';

export interface ReportedAnswer {
  /** Of a creation: the workspace's id, empty when the answer names none. */
  readonly operationId: string;
  readonly tenantId: string;
  /** 0: the connection was lost or refused. */
  readonly status: number;
  readonly code?: string;
  readonly at: number;
  readonly creation: boolean;
}

export interface Load {
  readonly answers: readonly ReportedAnswer[];
  /** Every client pauses so long between two ids from now on; 0, as at the beginning, for the full load. */
  rest(milliseconds: number): void;
  /** Lets every client finish the id it is at. */
  stop(): Promise<void>;
}

export interface LoadOptions {
  readonly gateway: GatewayClient;
  /** A person who owns nothing yet. */
  readonly newcomer: (email: string) => Promise<GatewayClient>;
  readonly tenantIds: readonly string[];
  readonly clients: number;
  readonly seed: number;
}

type Reply = OperationView & { readonly code?: string };

const actions = ['suspend', 'reactivate', 'balance-credit', 'balance-credit', 'balance-credit', 'create'] as const;
const triesMax = 20;
const pauseMs = 150;
const pause = (milliseconds = pauseMs): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

export function startLoad({ gateway, newcomer, tenantIds, clients, seed }: LoadOptions): Load {
  const answers: ReportedAnswer[] = [];
  let stopped = false;
  let restMs = 0;

  async function sendRequest(
    tenantId: string,
    action: string,
    body: { operationId: string },
  ): Promise<Answer<Reply> | undefined> {
    const answer = await gateway.post<Reply>(`/api/saas/workspaces/${tenantId}/${action}`, body).catch(() => undefined);
    const code = answer?.body.code;
    answers.push({
      operationId: body.operationId,
      tenantId,
      status: answer?.status ?? 0,
      ...(code ? { code } : {}),
      at: Date.now(),
      creation: false,
    });
    return answer;
  }

  /** Once: a creation has no id that its caller could repeat. */
  async function create(name: string, random: Random): Promise<void> {
    const person = await newcomer(`${name}@example.com`);
    const wanted = {
      workspaceName: name,
      planId: random.pick(['starter', 'starter', 'free']),
      paymentMethodId: random.pick(['pm_card_visa', 'pm_card_mastercard', 'pm_card_chargeCustomerFail']),
      billingProfile: { name: 'Chaos', country: 'GB' },
    };
    const answer = await person
      .post<{ tenantId?: string; code?: string }>('/api/saas/workspaces', wanted)
      .catch(() => undefined);
    const { tenantId = '', code } = answer?.body ?? {};
    answers.push({
      operationId: tenantId,
      tenantId,
      status: answer?.status ?? 0,
      ...(code ? { code } : {}),
      at: Date.now(),
      creation: true,
    });
  }

  async function client(number: number): Promise<void> {
    const random = createRandom(seed + number);
    for (let turn = 0; !stopped; turn += 1) {
      if (restMs > 0) await pause(restMs);
      const tenantId = random.pick(tenantIds);
      const action = random.pick(actions);
      const operationId = `chaos-${seed}-${number}-${turn}`;
      if (action === 'create') {
        await create(operationId, random);
        continue;
      }
      const body =
        action === 'balance-credit'
          ? { operationId, amountCents: 1 + random.below(1_000), reason: 'chaos' }
          : { operationId };
      for (let tries = 0; tries < triesMax; tries += 1) {
        const answer = await sendRequest(tenantId, action, body);
        // A refusal by a rule is final; a lost, unavailable or unfinished answer is asked for again.
        const again =
          !answer || answer.status >= 500 || answer.status === 202 || answer.body.code === 'operation_running';
        if (!again || answer?.body.code === 'outcome_unknown') break;
        await pause();
      }
    }
  }

  const running = Promise.all(Array.from({ length: clients }, (_each, number) => client(number)));
  return {
    answers,
    rest: (milliseconds) => void (restMs = milliseconds),
    stop: async () => {
      stopped = true;
      await running;
    },
  };
}
