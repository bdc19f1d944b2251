/**
 * `wsp consumer pause`, `resume`, `test`, `replay`, `cancel-replay`, `register-endpoint` and `remove-endpoint`: each has
 * its own request id, with which it is repeated when its answer was lost.
 */
import { randomUUID } from 'node:crypto';
import { exitCodes, Misuse } from '@platform/command-line';
import type { GatewayOperations } from '@platform/workspace-platform/gateway';
import { answerOf, Unanswered, type Gateway } from './gateway';
import type { Values } from './run';

type Consumer = GatewayOperations['actOnConsumer']['answer']['body'];

const actions = {
  'consumer pause': 'pause',
  'consumer resume': 'resume',
  'consumer test': 'test',
  'consumer replay': 'replay',
  'consumer cancel-replay': 'cancel_replay',
  'consumer register-endpoint': 'register_endpoint',
  'consumer remove-endpoint': 'remove_endpoint',
} as const;
export type ConsumerCommand = keyof typeof actions;

export async function actOnConsumer(
  gateway: Gateway,
  consumer: string,
  command: ConsumerCommand,
  values: Values,
): Promise<Consumer> {
  const { reason, since, 'request-id': requestId = randomUUID() } = values;
  if (reason === undefined) throw new Misuse('--reason is missing');
  const action = actions[command];
  if (action === 'replay' && since === undefined) throw new Misuse('--since is missing');
  const endpoint = action === 'register_endpoint' && endpointOf(values);
  const body = { requestId, action, reason, ...(since !== undefined && { since }), ...(endpoint && { endpoint }) };
  try {
    return answerOf(await gateway('actOnConsumer', { path: { consumer }, body }));
  } catch (error) {
    if (!(error instanceof Unanswered) || error.code !== exitCodes.failed) throw error;
    throw new Unanswered(`${error.message}; the same again: --request-id ${requestId}`, error.code);
  }
}

type Endpoint = NonNullable<GatewayOperations['actOnConsumer']['input']['body']['endpoint']>;

function endpointOf(values: Values): Endpoint {
  const { endpoint: url, 'secret-ref': secretRef, transitions, contact, 'answers-tests': answersTests } = values;
  if (url === undefined || secretRef === undefined || transitions === undefined)
    throw new Misuse('--endpoint, --secret-ref and --transitions are needed');
  return {
    ...{ url, secretRef, transitions: transitions.split(',') as readonly Transition[] },
    ...(contact !== undefined && { contact }),
    ...(answersTests && { answersTests }),
  };
}

type Transition = Endpoint['transitions'][number];

export function describeConsumer({
  name,
  paused,
  waitingDeliveries,
  actions = [],
  tests = [],
  replay,
  endpoint,
}: Consumer): string {
  const state = paused ? 'paused: nothing is sent to it' : 'not paused';
  return [
    `${name} is ${state}. ${waitingDeliveries} deliveries lack a receipt.`,
    ...(endpoint ? [`  served over HTTP at ${endpoint.url}, signed with the secret ${endpoint.secretRef}`] : []),
    ...actions.map(({ at, action, by, reason }) => `  ${at}  ${action}  ${by}  ${reason}`),
    ...tests.map((test) => `  ${test.requestedAt}  test  ${test.by}  ${test.reason}: ${answerOfTest(test)}`),
    ...(replay ? [describeReplay(replay)] : []),
  ].join('\n');
}

function answerOfTest({ sentAt, receipt, failure }: NonNullable<Consumer['tests']>[number]): string {
  if (receipt) return `receipt ${receipt.receiptId}, accepted ${receipt.acceptedAt}`;
  if (failure) return `failed ${failure.at}: ${failure.error}`;
  return sentAt === undefined ? 'not sent yet' : 'sent, no answer yet';
}

function describeReplay(replay: NonNullable<Consumer['replay']>): string {
  const { since, startedAt, status, position, received, underWay, skipped, failures } = replay;
  return [
    `  replay of ${since} to ${startedAt}: ${status}, ${received} received, ${underWay} under way, ${skipped} left out`,
    ...(position === undefined ? [] : [`sent up to ${position}`]),
    ...(failures ? [`${failures.count} failed runs, the last one ${failures.at}: ${failures.error}`] : []),
  ].join('; ');
}
