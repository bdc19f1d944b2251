/** What people asked of a consumer, as its record holds it: actions, tests and the last replay. */
import type { ActOnConsumer } from '@platform/contracts-lifecycle-delivery';

/** What stays on record as it was asked for. Tests are on record apart: they would push pauses out. */
export type ConsumerAction = Pick<ActOnConsumer, 'requestId' | 'by' | 'reason'> & {
  readonly action: Exclude<ActOnConsumer['action'], 'test'>;
  readonly at: Date;
  /** Of a replay. */
  readonly since?: Date;
  /** Of the registration of an endpoint: who directed deliveries where. */
  readonly endpoint?: { readonly url: string; readonly secretRef: string };
};

export interface TestOfConsumer {
  /** The request id under which a person asked for it. */
  readonly testId: string;
  readonly by: string;
  readonly reason: string;
  readonly requestedAt: Date;
  /** When the broker acknowledged it; absent until then. */
  readonly sentAt?: Date;
  /** The first one stays. */
  readonly receipt?: { readonly receiptId: string; readonly effectiveAt: Date; readonly acceptedAt: Date };
  /** The last failed run before a receipt. */
  readonly failure?: { readonly error: string; readonly at: Date };
}

export interface Replay {
  readonly requestId: string;
  readonly by: string;
  readonly reason: string;
  /** Deliveries whose receipt was accepted from here on … */
  readonly since: Date;
  /** … until a person asked. */
  readonly startedAt: Date;
  readonly status: 'running' | 'completed' | 'cancelled';
  readonly endedAt?: Date;
  /** After the last page that the consumer has received; absent before. */
  readonly position?: ReplayPosition;
  /** Messages that the consumer has received. */
  readonly received: number;
  /** Left out: their workspace is deleted, or the consumer does not register their transition any more. */
  readonly skipped: number;
  /** The page that left last, until the next one leaves. */
  readonly page?: ReplayPage;
  /** Failed runs that the consumer reported of what it had given a receipt for. */
  readonly failures?: { readonly count: number; readonly error: string; readonly reportId: string; readonly at: Date };
}

export type ReplayPosition = readonly [at: Date, id: string];

export interface ReplayPage {
  readonly upTo: ReplayPosition;
  readonly sent: number;
  readonly skipped: number;
  readonly sentAt: Date;
  /** When the durable was made that it went to. Another one may never have held the page. */
  readonly durableFrom: Date;
}
