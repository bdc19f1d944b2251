/**
 * Law 7, from outside: a message leaves the record that announced it only when the broker has taken it, or holds a newer
 * value of the same key. What a receiver was asked for afterwards may make up for the loss; the law is broken none the
 * less.
 */
import { headerOf } from './broker/protocol';
import type { Accepted, SimulatedBroker } from './broker/server';
import type { Observed } from '../../chaos/observer/outside-evidence';

interface Message {
  readonly id: string;
  readonly subject: string;
  readonly body?: Readonly<Record<string, unknown>>;
}
type Outbox = { readonly outbox?: readonly Message[] } | undefined;

/** A message and when it was in its record no more. */
interface Removed {
  readonly message: Message;
  readonly record: string;
  readonly at: number;
}

function removedFrom({ changes }: Observed): Removed[] {
  const standing = new Map<string, readonly Message[]>();
  return changes.flatMap(({ database, collection, id, at, record }) => {
    const name = `${database}/${collection}/${id}`;
    const { outbox = [] } = (record as Outbox) ?? {};
    const before = standing.get(name) ?? [];
    standing.set(name, outbox);
    const left = new Set(outbox.map((each) => each.id));
    return before.filter((each) => !left.has(each.id)).map((message) => ({ message, record: name, at }));
  });
}

const isKey = ({ subject }: Message): boolean => subject.startsWith('$KV.');
const revisionIn = ({ payload }: Accepted): number =>
  Number((JSON.parse(payload.toString('utf8')) as { revision?: number }).revision);

/** When the broker had the message first; undefined: never. */
function takenAt(message: Message, accepted: readonly Accepted[]): number | undefined {
  const newest = Number(message.body?.['revision']);
  const says = isKey(message)
    ? (each: Accepted) => each.subject === message.subject && revisionIn(each) >= newest
    : (each: Accepted) => headerOf(each.headers, 'Nats-Msg-Id') === message.id;
  return accepted.find(says)?.at;
}

/** One line for each message that was given up before the broker had it. */
export function saidByNoBroker(observed: Observed, { accepted }: Pick<SimulatedBroker, 'accepted'>): string[] {
  return removedFrom(observed).flatMap(({ message, record, at }) =>
    (takenAt(message, accepted) ?? Infinity) <= at
      ? []
      : [`the message ${message.id} left ${record} before the broker had it`],
  );
}
