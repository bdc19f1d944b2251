/** A stream of the simulated broker: messages in their order, the window for repeats, and the stream's consumers. */
import { subjectMatches } from '@platform/messaging/testing';
import { headerOf, type Published } from './protocol';

export interface StreamConfig extends Readonly<Record<string, unknown>> {
  readonly name: string;
  readonly subjects: readonly string[];
  readonly retention?: string;
  readonly duplicate_window?: number;
  readonly max_msgs_per_subject?: number;
  readonly no_ack?: boolean;
}

export interface ConsumerConfig {
  readonly durable_name?: string;
  readonly name?: string;
  readonly filter_subject?: string;
  readonly filter_subjects?: readonly string[];
  readonly ack_wait?: number;
  readonly max_ack_pending?: number;
}

/** A consumer as its stream and its requests use it. */
export interface StreamConsumer {
  readonly name: string;
  config: ConsumerConfig;
  wants(message: Pick<Stored, 'subject'>): boolean;
  /** Whether this consumer has still to acknowledge the message. */
  waitsFor(message: Stored): boolean;
  /** Delivers what the waiting pulls can take. */
  pump(): void;
  pull(reply: string, request: Readonly<Record<string, number | boolean | undefined>>): void;
  acknowledge(sequence: number, answer: string): void;
  remove(): void;
  info(): object;
}

export interface Stored {
  readonly sequence: number;
  readonly subject: string;
  readonly headers: Buffer;
  readonly payload: Buffer;
  readonly at: Date;
}

/** What the stream answers to a publication. */
export type Taken =
  | { readonly stream: string; readonly seq: number; readonly duplicate?: true }
  | { readonly error: { readonly code: number; readonly err_code: number; readonly description: string } };

const nanosPerMs = 1_000_000;
const defaultWindowMs = 120_000;

export class Stream {
  readonly created = new Date();
  readonly messages = new Map<number, Stored>();
  readonly consumers = new Map<string, StreamConsumer>();
  lastSequence = 0;
  private readonly recent = new Map<string, { readonly sequence: number; readonly at: number }>();

  constructor(public config: StreamConfig) {}

  get name(): string {
    return this.config.name;
  }

  takes(subject: string): boolean {
    return this.config.subjects.some((each) => subjectMatches(each, subject));
  }

  lastOf(subject: string): Stored | undefined {
    return [...this.messages.values()].filter((each) => subjectMatches(subject, each.subject)).at(-1);
  }

  store({ subject, headers, payload }: Published): Taken {
    const id = headerOf(headers, 'Nats-Msg-Id');
    const at = new Date();
    const known = id === undefined ? undefined : this.recent.get(id);
    const windowMs = (this.config.duplicate_window ?? 0) / nanosPerMs || defaultWindowMs;
    if (known && at.getTime() - known.at < windowMs) return { stream: this.name, seq: known.sequence, duplicate: true };
    const over = headerOf(headers, 'Nats-Expected-Last-Subject-Sequence');
    if (over !== undefined && Number(over) !== (this.lastOf(subject)?.sequence ?? 0))
      return { error: { code: 400, err_code: 10_071, description: 'wrong last sequence' } };
    this.lastSequence += 1;
    const stored: Stored = { sequence: this.lastSequence, subject, headers, payload, at };
    if (id !== undefined) this.recent.set(id, { sequence: stored.sequence, at: at.getTime() });
    const wanting = [...this.consumers.values()].filter((consumer) => consumer.wants(stored));
    if (this.config.retention !== 'interest' || wanting.length > 0) this.messages.set(stored.sequence, stored);
    this.keepFew(subject);
    for (const consumer of wanting) consumer.pump();
    return { stream: this.name, seq: stored.sequence };
  }

  private keepFew(subject: string): void {
    const { max_msgs_per_subject: most = -1 } = this.config;
    if (most <= 0) return;
    const own = [...this.messages.values()].filter((each) => each.subject === subject);
    for (const { sequence } of own.slice(0, Math.max(0, own.length - most))) this.messages.delete(sequence);
  }

  /** A stream that keeps what is wanted drops a message that no consumer waits for. */
  acknowledged(sequence: number): void {
    const message = this.messages.get(sequence);
    if (!message || this.config.retention !== 'interest') return;
    if (![...this.consumers.values()].some((consumer) => consumer.waitsFor(message))) this.messages.delete(sequence);
  }

  info(): object {
    const all = [...this.messages.values()];
    const subjects: Record<string, number> = {};
    for (const { subject } of all) subjects[subject] = (subjects[subject] ?? 0) + 1;
    const instant = (message: Stored | undefined) => (message?.at ?? new Date(0)).toISOString();
    return {
      config: this.config,
      created: this.created.toISOString(),
      state: {
        messages: all.length,
        bytes: all.reduce((sum, { headers, payload }) => sum + headers.length + payload.length, 0),
        first_seq: all[0]?.sequence ?? this.lastSequence + 1,
        first_ts: instant(all[0]),
        last_seq: this.lastSequence,
        last_ts: instant(all.at(-1)),
        consumer_count: this.consumers.size,
        num_subjects: Object.keys(subjects).length,
        subjects,
      },
    };
  }
}
