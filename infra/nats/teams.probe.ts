/**
 * Attacks that a consumer team can make with its own credentials: everything that it may publish, with every reply
 * subject and header that could reach beyond it. For `teams.int.spec.ts`, which checks what changed.
 */
import { connect, headers as createHeaders, type MsgHdrs } from '@nats-io/transport-node';
import type { BrokerCredentials, Topology } from '@platform/messaging';
import type { Party } from './permissions';
import { connectionOf } from './sign-on.harness';

export interface Attack {
  readonly subject: string;
  readonly reply: string;
  readonly header: readonly [name: string, value: string] | undefined;
  readonly body: string;
}

/** Subjects at which an answer of the broker or of a service must not arrive. */
function targetsOf(topology: Topology, others: readonly string[]): string[] {
  const streams = [...topology.streams.map(({ name }) => name), ...topology.buckets.map(({ name }) => `KV_${name}`)];
  return [
    ...streams.flatMap((stream) =>
      ['DELETE', 'PURGE', 'UPDATE', 'MSG.DELETE', 'SNAPSHOT'].map((verb) => `$JS.API.STREAM.${verb}.${stream}`),
    ),
    ...topology.streams.flatMap(({ name, durables }) =>
      durables.flatMap(({ durable }) => [
        `$JS.API.CONSUMER.DELETE.${name}.${durable}`,
        `$JS.API.CONSUMER.PAUSE.${name}.${durable}`,
        `$JS.API.CONSUMER.MSG.NEXT.${name}.${durable}`,
        `$JS.ACK.${name}.${durable}.1.1.1.0.0`,
        `dead_letter.${name}.${durable}`,
      ]),
    ),
    ...others.flatMap((other) => [
      `$JS.API.CONSUMER.DELETE.TENANT_LIFECYCLE.${other}`,
      `$JS.API.CONSUMER.MSG.NEXT.TENANT_LIFECYCLE.${other}`,
      `$JS.ACK.TENANT_LIFECYCLE.${other}.1.1.1.0.0`,
      `tenant.receipt.${other}`,
      `tenant.lifecycle.suspended.${other}`,
      `lifecycle.consumer.unregister.${other}`,
      `tenant_deleted.${other}`,
      `_INBOX_${other}.a.1`,
    ]),
    ...['lifecycle.message.suspended', 'lifecycle.settled.suspended', 'provider.event.operator.invoice.paid'],
    ...['workspace.committed', 'provisioning.create', '$KV.workspace_access.acme', '_INBOX_operator.a.1', '_R_.a.b'],
    ...['$JS.API.STREAM.CREATE.OTHER', '$JS.API.ACCOUNT.PURGE.PLATFORM', '$SYS.REQ.SERVER.PING', 'anything.else'],
  ];
}

const bodies = ['', '{}', '{"no_wait":true,"batch":1}', '+ACK'];

/** Every allowed publish against every target, with headers and bodies in turn; at least as many as requested. */
export function attacksOf(
  party: Party,
  publishes: readonly string[],
  topology: Topology,
  others: readonly string[],
): Attack[] {
  const targets = targetsOf(topology, others);
  const subjects = publishes.map((subject) =>
    subject.replace(/[*>]$/, '1.1.1.0.0').replace('access.1.1.1.0.0', 'access.acme'),
  );
  const headersFor = (target: string): Attack['header'][] => [
    undefined,
    ['Nats-Rollup', 'all'],
    ['Nats-Msg-Id', `receipt:${others[0] ?? party.user}:operation-1`],
    ['Nats-Trace-Dest', target],
    ['Nats-Expected-Stream', 'LIFECYCLE'],
    ['Nats-TTL', '1s'],
  ];
  return subjects.flatMap((subject) =>
    targets.flatMap((reply, at) =>
      headersFor(reply).map((header, nth) => ({
        subject,
        reply,
        header,
        body: bodies[(at + nth) % bodies.length] ?? '',
      })),
    ),
  );
}

/** Sends them one after the other; a refusal by the server is an answer like any other. Ends when all were decided. */
export async function attack(url: string, credentials: BrokerCredentials, attacks: readonly Attack[]): Promise<void> {
  const connection = await connect({ servers: url, ...connectionOf(credentials), reconnect: false });
  let sent = 0;
  for (const { subject, reply, header, body } of attacks) {
    const headers: MsgHdrs | undefined = header && createHeaders();
    if (header) headers?.set(...header);
    connection.publish(subject, body, { reply, ...(headers && { headers }) });
    if ((sent += 1) % 500 === 0) await connection.flush();
  }
  await connection.flush();
  await connection.close();
}
