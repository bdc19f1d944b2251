/**
 * One stream of the fake broker: stored messages, the duplicate window, and for each durable what was delivered and
 * acknowledged. Pure state without timers: `fake-broker.ts` decides when messages are delivered.
 */
import { subjectMatches } from './subject';
import type { DurableDeclaration, OutboundMessage, StreamCopies, StreamState } from './port';
import type { StreamDeclaration } from './topology';
import type { WireHeaders } from './wire';

export interface StoredMessage {
  readonly sequence: number;
  readonly subject: string;
  readonly id: string;
  readonly headers: WireHeaders;
  readonly bytes: Uint8Array;
  readonly publishedAt: Date;
  /**
   * A stream with interest retention drops acknowledged messages; they are kept here so that a test can deliver them
   * once more.
   */
  forgotten: boolean;
}

type Delivery = { count: number; state: 'due' | 'delivered' | 'acknowledged' | 'later' };

export interface FakeDurable {
  declaration: DurableDeclaration;
  readonly deliveries: Map<number, Delivery>;
  /**
   * All messages before this place in the stream are finished, so a long history need not be walked for each delivery.
   */
  floor: number;
  lastAckAt: Date | null;
  readonly createdAt: Date;
}

export interface FakeStream {
  readonly identity: string;
  readonly declaration: StreamDeclaration;
  readonly durables: Map<string, FakeDurable>;
  readonly messages: StoredMessage[];
  lastSequence: number;
  readonly recentIds: Map<string, { readonly at: number; readonly sequence: number }>;
}

let made = 0;

export function createFakeStream(declaration: StreamDeclaration): FakeStream {
  const identity = `made-${(made += 1)}`;
  return { identity, declaration, durables: new Map(), messages: [], lastSequence: 0, recentIds: new Map() };
}

export type ToStore = Pick<StoredMessage, 'subject' | 'id' | 'headers' | 'bytes'> & Pick<OutboundMessage, 'repeats'>;

/** Stores a message, or recognises its id within the duplicate window. */
export function store(
  stream: FakeStream,
  { repeats, ...message }: ToStore,
  now: Date,
): { readonly sequence: number; readonly duplicate: boolean } {
  const windowMs = stream.declaration.duplicateWindowSeconds * 1_000;
  const known = repeats === 'stored' ? undefined : stream.recentIds.get(message.id);
  if (known && now.getTime() - known.at < windowMs) return { sequence: known.sequence, duplicate: true };
  stream.lastSequence += 1;
  const sequence = stream.lastSequence;
  if (stream.declaration.retention !== 'interest' || isWanted(stream, message.subject))
    stream.messages.push({ ...message, sequence, publishedAt: now, forgotten: false });
  if (repeats !== 'stored') stream.recentIds.set(message.id, { at: now.getTime(), sequence });
  return { sequence, duplicate: false };
}

export function declareDurable(
  stream: FakeStream,
  declaration: DurableDeclaration,
  createdAt: Date,
): 'created' | 'there' {
  const existing = stream.durables.get(declaration.durable);
  if (existing) Object.assign(existing, { declaration, floor: 0 });
  else
    stream.durables.set(declaration.durable, {
      ...{ declaration, deliveries: new Map(), floor: 0, lastAckAt: null, createdAt },
    });
  return existing ? 'there' : 'created';
}

/** The messages that this durable could deliver now, oldest first. */
export function* deliverable(stream: FakeStream, durable: FakeDurable): Generator<StoredMessage> {
  raiseFloor(stream, durable);
  let outstanding = 0;
  for (const message of wanted(stream, durable)) {
    const state = durable.deliveries.get(message.sequence)?.state ?? 'due';
    if (state === 'delivered' || state === 'later') outstanding += 1;
    if (outstanding >= durable.declaration.maxAckPending) return;
    if (state === 'due') yield message;
  }
}

/** Marks a delivery and returns its count, 1 for the first. */
export function markDelivered(durable: FakeDurable, message: StoredMessage): number {
  const delivery = durable.deliveries.get(message.sequence) ?? { count: 0, state: 'due' as const };
  durable.deliveries.set(message.sequence, { count: delivery.count + 1, state: 'delivered' });
  return delivery.count + 1;
}

export function markAcknowledged(stream: FakeStream, durable: FakeDurable, message: StoredMessage, now: Date): void {
  durable.lastAckAt = now;
  setState(durable, message.sequence, 'acknowledged');
  forgetUnwanted(stream, message);
}

/** A message for which no other durable waits is removed with the durable. */
export function removeDurable(stream: FakeStream | undefined, name: string): void {
  if (!stream?.durables.delete(name)) return;
  for (const message of stream.messages) forgetUnwanted(stream, message);
}

function isWanted(stream: FakeStream, subject: string): boolean {
  return [...stream.durables.values()].some((durable) => filters(durable, { subject }));
}

function forgetUnwanted(stream: FakeStream, message: StoredMessage): void {
  if (stream.declaration.retention !== 'interest') return;
  message.forgotten ||= ![...stream.durables.values()].some(
    (durable) => filters(durable, message) && durable.deliveries.get(message.sequence)?.state !== 'acknowledged',
  );
}

/** Delivered again only by the next settle, so that a handler that always refuses cannot block one call endlessly. */
export function markForLater(durable: FakeDurable, message: StoredMessage): void {
  setState(durable, message.sequence, 'later');
}

export function makeLaterDue(stream: FakeStream): void {
  for (const durable of stream.durables.values()) {
    for (const [sequence, { state }] of durable.deliveries) if (state === 'later') setState(durable, sequence, 'due');
  }
}

/** Makes everything due again, including acknowledged messages, as a broker may after it lost its consumer state. */
export function makeAllDue(stream: FakeStream): void {
  for (const message of stream.messages) message.forgotten = false;
  for (const durable of stream.durables.values()) {
    durable.floor = 0;
    for (const [sequence, { state }] of durable.deliveries)
      if (state !== 'delivered') setState(durable, sequence, 'due');
  }
}

/** For the named streams that exist, with the share of its byte limit that each holds. */
export function copiesOf(
  streams: ReadonlyMap<string, FakeStream>,
  names: readonly string[],
  copies: Omit<StreamCopies, 'filled' | 'identity'>,
): ReadonlyMap<string, StreamCopies> {
  return new Map(
    names.flatMap((name) => {
      const stream = streams.get(name);
      const filled = stream ? fakeStreamState(stream).bytes / stream.declaration.maxBytes : 0;
      return stream ? [[name, { ...copies, identity: stream.identity, filled }] as const] : [];
    }),
  );
}

export function fakeStreamState(stream: FakeStream): StreamState {
  const kept = stream.messages.filter(({ forgotten }) => !forgotten);
  return {
    stream: stream.declaration.name,
    subjects: stream.declaration.subjects,
    messages: kept.length,
    bytes: kept.reduce((sum, { bytes }) => sum + bytes.length, 0),
    firstSequence: kept[0]?.sequence ?? (stream.lastSequence === 0 ? 0 : stream.lastSequence + 1),
    lastSequence: stream.lastSequence,
    oldestAt: kept[0]?.publishedAt ?? null,
    replicas: 1,
    durables: [...stream.durables.values()].map((durable) => durableState(stream, durable)),
  };
}

function durableState(stream: FakeStream, durable: FakeDurable): StreamState['durables'][number] {
  const unacknowledged = [...wanted(stream, durable)].filter(
    ({ sequence }) => durable.deliveries.get(sequence)?.state !== 'acknowledged',
  );
  const delivered = unacknowledged.filter(({ sequence }) => (durable.deliveries.get(sequence)?.count ?? 0) > 0);
  return {
    durable: durable.declaration.durable,
    createdAt: durable.createdAt,
    pending: unacknowledged.length - delivered.length,
    ackPending: delivered.length,
    redelivered: delivered.filter(({ sequence }) => (durable.deliveries.get(sequence)?.count ?? 0) > 1).length,
    waiting: 0,
    oldestPendingAt: unacknowledged[0]?.publishedAt ?? null,
    lastAckAt: durable.lastAckAt,
  };
}

function* wanted(stream: FakeStream, durable: FakeDurable): Generator<StoredMessage> {
  for (let place = durable.floor; place < stream.messages.length; place += 1) {
    const message = stream.messages[place];
    if (message && !message.forgotten && filters(durable, message)) yield message;
  }
}

function filters(
  { declaration: { filterSubjects } }: FakeDurable,
  { subject }: Pick<StoredMessage, 'subject'>,
): boolean {
  return filterSubjects.length === 0 || filterSubjects.some((filter) => subjectMatches(filter, subject));
}

function raiseFloor({ messages }: FakeStream, durable: FakeDurable): void {
  for (let message = messages[durable.floor]; message; message = messages[durable.floor]) {
    const done =
      message.forgotten ||
      !filters(durable, message) ||
      durable.deliveries.get(message.sequence)?.state === 'acknowledged';
    if (!done) return;
    durable.floor += 1;
  }
}

function setState(durable: FakeDurable, sequence: number, state: Delivery['state']): void {
  const delivery = durable.deliveries.get(sequence);
  if (delivery) delivery.state = state;
}
