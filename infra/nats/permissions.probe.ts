/** Asks a running server, subject by subject, what it refuses a user. For the permission matrix. */
import { connect, errors } from '@nats-io/transport-node';

export interface Refusals {
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
}

/** The subjects of both lists that the server refuses, in the lists' order. */
export async function collectRefusals(
  url: string,
  { user, password }: { readonly user: string; readonly password: string },
  publishing: readonly string[],
  subscribing: readonly string[],
): Promise<Refusals> {
  const connection = await connect({ servers: url, user, pass: password, inboxPrefix: `_INBOX_${user}`, reconnect: false });
  const refused = { publish: new Set<string>(), subscribe: new Set<string>() };
  const listening = (async () => {
    for await (const status of connection.status()) {
      if (status.type === 'error' && status.error instanceof errors.PermissionViolationError) refused[status.error.operation === 'publish' ? 'publish' : 'subscribe'].add(status.error.subject);
    }
  })();
  for (const subject of publishing) connection.publish(subject, '{}');
  for (const subject of subscribing) connection.subscribe(subject, { callback: () => undefined });
  // The server answers in order: after the flush every refusal has arrived; closing ends the listener behind the last.
  await connection.flush();
  await connection.close();
  await listening;
  return {
    publish: publishing.filter((subject) => refused.publish.has(subject)),
    subscribe: subscribing.filter((subject) => refused.subscribe.has(subject)),
  };
}
