/** Streams, their readers and the outboxes of every service, in lines for people. */
import { columns } from '@platform/command-line';
import type { Streams } from '@platform/workspace-platform/gateway';

export function describeStreams({ streams, outbox, unavailable }: Streams): string {
  const readers = streams.flatMap(({ stream, messages, bytes, replicas, durables }) => {
    const own = [stream, String(messages), String(bytes), String(replicas)];
    if (durables.length === 0) return [[...own, 'no reader now']];
    return durables.map(({ durable, pending, ackPending, redelivered }, at) => [
      ...(at === 0 ? own : ['', '', '', '']),
      ...[durable, String(pending), String(ackPending), String(redelivered)],
    ]);
  });
  const waiting = outbox.map((each) => [each.service, each.collection, String(each.waiting), each.oldestAt ?? '']);
  return [
    columns([
      ['stream', 'messages', 'bytes', 'copies', 'reader', 'waits', 'unacknowledged', 'redelivered'],
      ...readers,
    ]),
    '',
    columns([['outbox of', 'collection', 'waits', 'oldest'], ...waiting]),
    ...unavailable.map(({ service, problem }) => `${service}: not known now: ${problem}`),
  ].join('\n');
}
