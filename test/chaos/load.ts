/**
 * Clients that do not give up: suspensions, reactivations, credits, new workspaces and their deletion, each id repeated
 * until it has a final answer. Some send one id twice at the same moment, or an ended one with other values.
 */
import type { OperationView } from '@platform/contracts-operator';
import { createRandom, type Random } from '@platform/testing';
import type { Answer, GatewayClient } from '../../infra/local/demo/gateway-client';

export interface ReportedAnswer {
  /** For a creation: the workspace's id, empty when the answer contains none. */
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
  /** From now on every client pauses this long between two ids; 0, as at the beginning, for the full load. */
  rest(milliseconds: number): void;
  /** Lets every client finish its current id. */
  stop(): Promise<void>;
}

export interface LoadOptions {
  readonly gateway: GatewayClient;
  /** A person who does not own a workspace yet. */
  readonly newcomer: (email: string) => Promise<GatewayClient>;
  readonly tenantIds: readonly string[];
  readonly clients: number;
  readonly seed: number;
}

type Reply = OperationView & { readonly code?: string };

const actions = ['suspend', 'reactivate', 'balance-credit', 'balance-credit', 'balance-credit', 'create'] as const;
const chanceOfTwins = 0.2;
const chanceOfOtherValues = 0.3;
const chanceOfDeletion = 0.3;
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

  /** Sent once, because a creation has no id that its caller could repeat. Returns the id of an existing workspace. */
  async function create(name: string, random: Random): Promise<string> {
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
    return answer?.status === 201 ? tenantId : '';
  }

  /** Repeats the request until its answer is final; returns the last answer. */
  async function insist(tenantId: string, action: string, body: { operationId: string }) {
    for (let tries = 0; tries < triesMax; tries += 1) {
      const answer = await sendRequest(tenantId, action, body);
      // A refusal by a rule is final; after a lost, unavailable or unfinished answer the request is repeated.
      const again =
        !answer || answer.status >= 500 || answer.status === 202 || answer.body.code === 'operation_running';
      if (!again || answer?.body.code === 'outcome_unknown') return answer;
      await pause();
    }
    return undefined;
  }

  /** Deletes the workspace of a person who has changed their mind. */
  async function remove(tenantId: string, operationId: string): Promise<void> {
    for (let tries = 0; tries < triesMax; tries += 1) {
      const answer = await gateway
        .delete(`/api/saas/workspaces/${tenantId}`, { operationId, reason: 'chaos', confirm: tenantId })
        .catch(() => undefined);
      if (answer && answer.status < 500) return;
      await pause();
    }
  }

  async function client(number: number): Promise<void> {
    const random = createRandom(seed + number);
    for (let turn = 0; !stopped; turn += 1) {
      if (restMs > 0) await pause(restMs);
      const tenantId = random.pick(tenantIds);
      const action = random.pick(actions);
      const operationId = `chaos-${seed}-${number}-${turn}`;
      if (action === 'create') {
        const made = await create(operationId, random);
        if (made !== '' && random.next() < chanceOfDeletion) await remove(made, `${operationId}-delete`);
        continue;
      }
      const credit = action === 'balance-credit' ? { amountCents: 1 + random.below(1_000), reason: 'chaos' } : {};
      const body = { operationId, ...credit };
      const twins = random.next() < chanceOfTwins ? [sendRequest(tenantId, action, body)] : [];
      await Promise.all([...twins, insist(tenantId, action, body)]);
      if (random.next() < chanceOfOtherValues)
        await sendRequest(tenantId, 'balance-credit', {
          operationId,
          ...{ amountCents: 1_001 + random.below(1_000), reason: 'chaos with other values' },
        });
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
