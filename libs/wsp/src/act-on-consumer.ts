/** `wsp consumer pause` and `resume`: each under an id of its own, by which it is repeated when its answer was lost. */
import { randomUUID } from 'node:crypto';
import { exitCodes, Misuse } from '@platform/command-line';
import type { GatewayOperations } from '@platform/workspace-platform/gateway';
import { answerOf, Unanswered, type Gateway } from './gateway';
import type { Values } from './run';

type Consumer = GatewayOperations['actOnConsumer']['answer']['body'];

export async function actOnConsumer(
  gateway: Gateway,
  consumer: string,
  command: 'consumer pause' | 'consumer resume',
  values: Values,
): Promise<Consumer> {
  const { reason, 'request-id': requestId = randomUUID() } = values;
  if (reason === undefined) throw new Misuse('--reason is missing');
  const action = command === 'consumer pause' ? 'pause' : 'resume';
  try {
    return answerOf(await gateway('actOnConsumer', { path: { consumer }, body: { requestId, action, reason } }));
  } catch (error) {
    if (!(error instanceof Unanswered) || error.code !== exitCodes.failed) throw error;
    throw new Unanswered(`${error.message}; the same again: --request-id ${requestId}`, error.code);
  }
}

export function describeConsumer({ name, paused, waitingDeliveries, actions = [] }: Consumer): string {
  const state = paused ? 'paused: nothing is sent to it' : 'not paused';
  return [
    `${name} is ${state}. ${waitingDeliveries} deliveries lack a receipt.`,
    ...actions.map(({ at, action, by, reason }) => `  ${at}  ${action}  ${by}  ${reason}`),
  ].join('\n');
}
