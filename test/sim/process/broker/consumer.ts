/**
 * A durable consumer of a stream: pulls that wait for messages, deliveries that wait for their acknowledgement, and
 * redelivery after a time or a refusal. The broker's clock and timers are those of the machine that it runs on.
 */
import { subjectMatches } from '@platform/messaging/testing';
import { statusOnly, type Published } from './protocol';
import type { ConsumerConfig, Stored, Stream, StreamConsumer } from './stream';

/** The server as its consumers use it. */
export interface Delivering {
  send(message: Published): void;
  /** Whether a subscription waits for this subject. */
  awaits(subject: string): boolean;
}

interface Pull {
  readonly reply: string;
  left: number;
  readonly timers: NodeJS.Timeout[];
}

interface Outstanding {
  count: number;
  timer?: NodeJS.Timeout | undefined;
}

const nanosPerMs = 1_000_000;

export class Consumer implements StreamConsumer {
  readonly created = new Date();
  private readonly outstanding = new Map<number, Outstanding>();
  private readonly counts = new Map<number, number>();
  private again: number[] = [];
  private pulls: Pull[] = [];
  private next = 1;
  private delivered = 0;
  private floor = { consumer: 0, stream: 0 };
  private lastAckAt: Date | undefined;

  constructor(
    private readonly stream: Stream,
    readonly name: string,
    public config: ConsumerConfig,
    private readonly server: Delivering,
  ) {}

  wants({ subject }: Pick<Stored, 'subject'>): boolean {
    const { filter_subject: one, filter_subjects: several } = this.config;
    const filters = several ?? (one === undefined || one === '' ? [] : [one]);
    return filters.length === 0 || filters.some((filter) => subjectMatches(filter, subject));
  }

  /** Whether this consumer has still to acknowledge the message. */
  waitsFor(message: Stored): boolean {
    return this.wants(message) && (message.sequence >= this.next || this.outstanding.has(message.sequence));
  }

  pull(reply: string, request: Readonly<Record<string, number | boolean | undefined>>): void {
    const pull: Pull = { reply, left: Math.max(1, Number(request['batch'] ?? 1)), timers: [] };
    this.pulls.push(pull);
    this.pump();
    if (pull.left === 0) return;
    if (request['no_wait'] === true) return this.endPull(pull, '404 No Messages');
    const expires = Number(request['expires'] ?? 0) / nanosPerMs;
    const heartbeat = Number(request['idle_heartbeat'] ?? 0) / nanosPerMs;
    if (expires > 0) pull.timers.push(setTimeout(() => this.endPull(pull, '408 Request Timeout'), expires));
    if (heartbeat > 0)
      pull.timers.push(
        setInterval(() => {
          const last = { 'Nats-Last-Consumer': this.delivered, 'Nats-Last-Stream': this.next - 1 };
          this.server.send(statusOnly(reply, '100 Idle Heartbeat', last));
        }, heartbeat),
      );
  }

  private endPull(pull: Pull, status?: string): void {
    for (const timer of pull.timers) clearTimeout(timer);
    this.pulls = this.pulls.filter((each) => each !== pull);
    const left = { 'Nats-Pending-Messages': pull.left, 'Nats-Pending-Bytes': 0 };
    if (status !== undefined) this.server.send(statusOnly(pull.reply, status, left));
  }

  private take(): Stored | undefined {
    for (let at = this.again.shift(); at !== undefined; at = this.again.shift()) {
      const message = this.stream.messages.get(at);
      if (message && this.outstanding.has(at)) return message;
      this.outstanding.delete(at);
    }
    while (this.next <= this.stream.lastSequence) {
      const message = this.stream.messages.get(this.next);
      this.next += 1;
      if (message && this.wants(message)) return message;
    }
    return undefined;
  }

  /** Delivers what the waiting pulls can take. */
  pump(): void {
    for (;;) {
      const [pull] = this.pulls;
      if (!pull) return;
      if (!this.server.awaits(pull.reply)) {
        this.endPull(pull);
        continue;
      }
      const full = this.again.length === 0 && this.outstanding.size >= (this.config.max_ack_pending ?? 1_000);
      const message = full ? undefined : this.take();
      if (!message) return;
      this.deliver(pull, message);
    }
  }

  private deliver(pull: Pull, { sequence, subject, headers, payload, at }: Stored): void {
    const count = (this.counts.get(sequence) ?? 0) + 1;
    this.counts.set(sequence, count);
    this.delivered += 1;
    pull.left -= 1;
    if (pull.left === 0) this.endPull(pull);
    this.expect(sequence, count);
    const place = [count, sequence, this.delivered, at.getTime() * nanosPerMs, 0].join('.');
    const [inbox, reply] = [pull.reply, `$JS.ACK.${this.stream.name}.${this.name}.${place}`];
    this.server.send({ subject: inbox, ...{ as: subject }, reply, headers, payload } as Published);
  }

  /** The message is due again when no acknowledgement comes in time. */
  private expect(sequence: number, count: number): void {
    clearTimeout(this.outstanding.get(sequence)?.timer);
    const due = (): void => this.repeat(sequence);
    const timer = setTimeout(due, (this.config.ack_wait ?? 30_000 * nanosPerMs) / nanosPerMs);
    this.outstanding.set(sequence, { count, timer });
  }

  private repeat(sequence: number): void {
    const known = this.outstanding.get(sequence);
    if (!known) return;
    clearTimeout(known.timer);
    known.timer = undefined;
    this.again.push(sequence);
    this.pump();
  }

  /** `answer`: what the client says of a delivery. */
  acknowledge(sequence: number, answer: string): void {
    const known = this.outstanding.get(sequence);
    if (!known) return;
    if (answer.startsWith('+WPI')) return void (known.timer !== undefined && this.expect(sequence, known.count));
    if (answer.startsWith('-NAK')) {
      const { delay = 0 } = JSON.parse(answer.slice(4).trim() || '{}') as { delay?: number };
      clearTimeout(known.timer);
      if (delay <= 0) return this.repeat(sequence);
      known.timer = setTimeout(() => this.repeat(sequence), delay / nanosPerMs);
      return;
    }
    clearTimeout(known.timer);
    this.outstanding.delete(sequence);
    this.lastAckAt = new Date();
    this.floor = { consumer: this.floor.consumer + 1, stream: Math.max(this.floor.stream, sequence) };
    this.stream.acknowledged(sequence);
    this.pump();
  }

  /** The consumer is gone; its pulls end. */
  remove(): void {
    for (const { timer } of this.outstanding.values()) clearTimeout(timer);
    for (const pull of [...this.pulls]) this.endPull(pull, '409 Consumer Deleted');
  }

  info(): object {
    const first = Math.min(...this.outstanding.keys(), this.next);
    return {
      stream_name: this.stream.name,
      name: this.name,
      created: this.created.toISOString(),
      config: this.config,
      delivered: { consumer_seq: this.delivered, stream_seq: this.next - 1 },
      ack_floor: {
        consumer_seq: this.floor.consumer,
        stream_seq: first - 1,
        ...(this.lastAckAt && { last_active: this.lastAckAt.toISOString() }),
      },
      num_ack_pending: this.outstanding.size,
      num_redelivered: [...this.outstanding.values()].filter(({ count }) => count > 1).length,
      num_waiting: this.pulls.length,
      num_pending: [...this.stream.messages.values()].filter((each) => each.sequence >= this.next && this.wants(each))
        .length,
    };
  }
}
