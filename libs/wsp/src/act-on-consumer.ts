/** `wsp consumer pause`, `resume` and `test`: each under an id of its own, by which it is repeated when its answer was lost. */
import { randomUUID } from 'node:crypto';
import { exitCodes, Misuse } from '@platform/command-line';
import type { GatewayOperations } from '@platform/workspace-platform/gateway';
import { answerOf, Unanswered, type Gateway } from './gateway';
import type { Values } from './run';

type Consumer = GatewayOperations['actOnConsumer']['answer']['body'];

const actions = { 'consumer pause': 'pause', 'consumer resume': 'resume', 'consumer test': 'test' } as const;
export type ConsumerCommand = keyof typeof actions;

export async function actOnConsumer(
  gateway: Gateway,
  consumer: string,
  command: ConsumerCommand,
  values: Values,
): Promise<Consumer> {
  const { reason, 'request-id': requestId = randomUUID() } = values;
  if (reason === undefined) throw new Misuse('--reason is missing');
  const action = actions[command];
  try {
    return answerOf(await gateway('actOnConsumer', { path: { consumer }, body: { requestId, action, reason } }));
  } catch (error) {
    if (!(error instanceof Unanswered) || error.code !== exitCodes.failed) throw error;
    throw new Unanswered(`${error.message}; the same again: --request-id ${requestId}`, error.code);
  }
}

export function describeConsumer({ name, paused, waitingDeliveries, actions = [], tests = [] }: Consumer): string {
  const state = paused ? 'paused: nothing is sent to it' : 'not paused';
  return [
    `${name} is ${state}. ${waitingDeliveries} deliveries lack a receipt.`,
    ...actions.map(({ at, action, by, reason }) => `  ${at}  ${action}  ${by}  ${reason}`),
    ...tests.map((test) => `  ${test.requestedAt}  test  ${test.by}  ${test.reason}: ${answerOfTest(test)}`),
  ].join('\n');
}

function answerOfTest({ sentAt, receipt, failure }: NonNullable<Consumer['tests']>[number]): string {
  if (receipt) return `receipt ${receipt.receiptId}, accepted ${receipt.acceptedAt}`;
  if (failure) return `failed ${failure.at}: ${failure.error}`;
  return sentAt === undefined ? 'not sent yet' : 'sent, no answer yet';
}
