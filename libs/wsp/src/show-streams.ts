/** Streams, their readers and the outboxes of every service, in lines for people. */
import { columns } from '@platform/command-line';
import type { Streams } from '@platform/workspace-platform/gateway';

type Reader = Streams['streams'][number]['durables'][number];

/** In the words of the console. */
const stateOf = ({ waiting, ackPending }: Pick<Reader, 'waiting' | 'ackPending'>): string =>
  waiting > 0 ? 'listening' : ackPending > 0 ? 'working' : 'no reader now';

export function describeStreams({ streams, outbox, unavailable }: Streams): string {
  const readers = streams.flatMap(({ stream, messages, bytes, replicas, durables }) => {
    const own = [stream, String(messages), String(bytes), String(replicas)];
    if (durables.length === 0) return [[...own, 'no reader', 'stored']];
    return durables.map((reader, at) => [
      ...(at === 0 ? own : ['', '', '', '']),
      ...[reader.durable, stateOf(reader)],
      ...[reader.pending, reader.ackPending, reader.redelivered].map(String),
    ]);
  });
  const waiting = outbox.map((each) => [each.service, each.collection, String(each.waiting), each.oldestAt ?? '']);
  return [
    columns([
      ['stream', 'messages', 'bytes', 'copies', 'reader', 'state', 'waits', 'unacknowledged', 'redelivered'],
      ...readers,
    ]),
    '',
    columns([['outbox of', 'collection', 'waits', 'oldest'], ...waiting]),
    ...unavailable.map(({ service, problem }) => `${service}: not known now: ${problem}`),
  ].join('\n');
}
