/**
 * Tests on a running server, subject by subject, what a user may do: what the server refuses with an error, and what it
 * really carries, as an unrestricted user on the other side observes it. For the permission matrix.
 */
import { connect, errors, type NatsConnection } from '@nats-io/transport-node';
import type { BrokerCredentials } from '@platform/messaging';
import { connectionOf } from './sign-on.harness';

/** Both observations, which must agree; subjects in the order of the lists. */
export interface Decisions {
  readonly refused: { readonly publish: readonly string[]; readonly subscribe: readonly string[] };
  readonly carried: { readonly publish: readonly string[]; readonly subscribe: readonly string[] };
}

async function open(url: string, credentials: BrokerCredentials): Promise<NatsConnection> {
  return connect({ servers: url, ...connectionOf(credentials), reconnect: false });
}

export const hasWildcard = (subject: string): boolean =>
  subject.split('.').some((token) => token === '*' || token === '>');
/** A subject that falls under the pattern. */
const within = (pattern: string): string =>
  pattern
    .split('.')
    .map((token) => (token === '*' || token === '>' ? 'x' : token))
    .join('.');

/**
 * Tries to publish to every subject without a wildcard and to subscribe to all. `platform` sees what arrives in the
 * platform's account; `platform` and `neighbour`, an unrestricted user in the account of `credentials`, send the
 * messages that should be heard.
 */
export async function collectDecisions(
  url: string,
  credentials: BrokerCredentials,
  { platform, neighbour }: { readonly platform: BrokerCredentials; readonly neighbour: BrokerCredentials },
  subjects: readonly string[],
): Promise<Decisions> {
  const [tried, other, beside] = [await open(url, credentials), await open(url, platform), await open(url, neighbour)];
  const refused = { publish: new Set<string>(), subscribe: new Set<string>() };
  const carried = { publish: new Set<string>(), subscribe: new Set<string>() };
  const listening = (async () => {
    for await (const status of tried.status()) {
      if (status.type === 'error' && status.error instanceof errors.PermissionViolationError)
        refused[status.error.operation === 'publish' ? 'publish' : 'subscribe'].add(status.error.subject);
    }
  })();
  // Not an object, so that the broker's own interface carries out no request that it lets through.
  const body = JSON.stringify(`probe of ${credentials.user}`);
  other.subscribe('>', {
    callback: (error, message) => void (!error && message.string() === body && carried.publish.add(message.subject)),
  });
  await other.flush();
  for (const subject of subjects) {
    if (!hasWildcard(subject)) tried.publish(subject, body);
    tried.subscribe(subject, {
      callback: (error, message) => void (!error && message.string() === '"told"' && carried.subscribe.add(subject)),
    });
  }
  // A server answers each connection in order: after these flushes every refusal and every message has arrived.
  await tried.flush();
  await other.flush();
  for (const teller of [other, beside]) {
    for (const subject of subjects) teller.publish(within(subject), '"told"');
    await teller.flush();
  }
  await tried.flush();
  await Promise.all([tried.close(), other.close(), beside.close()]);
  await listening;
  const inOrder = (set: ReadonlySet<string>): string[] => subjects.filter((subject) => set.has(subject));
  return {
    refused: { publish: inOrder(refused.publish), subscribe: inOrder(refused.subscribe) },
    carried: { publish: inOrder(carried.publish), subscribe: inOrder(carried.subscribe) },
  };
}

/**
 * A service user answers one request twice, and then sends to the requester without a request; returns what the
 * requester receives.
 */
export async function repliesCarried(
  url: string,
  service: BrokerCredentials,
  requester: BrokerCredentials,
  subject: string,
): Promise<string[]> {
  const [answering, requesting] = [await open(url, service), await open(url, requester)];
  const received: string[] = [];
  const inbox = `_INBOX_${requester.user}.answers.1`;
  requesting.subscribe(inbox, { callback: (_error, message) => void received.push(message.string()) });
  const request = new Promise<void>((settle) => {
    answering.subscribe(subject, {
      callback: (_error, message) => {
        for (const answer of ['first', 'second']) message.respond(answer);
        settle();
      },
    });
  });
  await answering.flush();
  requesting.publish(subject, '{}', { reply: inbox });
  await request;
  answering.publish(inbox, 'unasked');
  await answering.flush();
  await requesting.flush();
  await Promise.all([answering.close(), requesting.close()]);
  return received;
}
