/** People's requests about a consumer on the consumer's record: actions, tests and the last replay. */
import type { ActOnConsumer, EndpointRegistration } from '@platform/contracts-lifecycle-delivery';

/** The recorded form of a request. Tests are recorded separately, because many of them would displace the pauses. */
export type ConsumerAction = Pick<ActOnConsumer, 'requestId' | 'by' | 'reason'> & {
  readonly action: Exclude<ActOnConsumer['action'], 'test'>;
  readonly at: Date;
  /** The start of a replay. */
  readonly since?: Date;
  /** Of the registration of an endpoint: who directed deliveries where. */
  readonly endpoint?: AskedEndpoint;
};

/** The values of a registration by which a repeat is recognised; former builds recorded the first two alone. */
type AskedEndpoint = Pick<EndpointRegistration, 'url' | 'secretRef'> & Partial<EndpointRegistration>;

export interface TestOfConsumer {
  /** The request id of the person's request. */
  readonly testId: string;
  readonly by: string;
  readonly reason: string;
  readonly requestedAt: Date;
  /** When the broker acknowledged it; absent until then. */
  readonly sentAt?: Date;
  /** The first receipt; later ones do not replace it. */
  readonly receipt?: { readonly receiptId: string; readonly effectiveAt: Date; readonly acceptedAt: Date };
  /** The last failed run before a receipt. */
  readonly failure?: { readonly error: string; readonly at: Date };
}

export interface Replay {
  readonly requestId: string;
  readonly by: string;
  readonly reason: string;
  /** The replay contains deliveries whose receipt was accepted from this instant … */
  readonly since: Date;
  /** … until the instant of the person's request. */
  readonly startedAt: Date;
  readonly status: 'running' | 'completed' | 'cancelled';
  readonly endedAt?: Date;
  /** The place after the last page that the consumer received; absent before the first. */
  readonly position?: ReplayPosition;
  /** Number of messages that the consumer has received. */
  readonly received: number;
  /** Number of messages left out: their workspace is deleted, or the consumer no longer registers their transition. */
  readonly skipped: number;
  /** The last page that was sent, until the next one is sent. */
  readonly page?: ReplayPage;
  /** Failed runs that the consumer reported for messages which it had already acknowledged with a receipt. */
  readonly failures?: { readonly count: number; readonly error: string; readonly reportId: string; readonly at: Date };
}

export type ReplayPosition = readonly [at: Date, id: string];

export interface ReplayPage {
  readonly upTo: ReplayPosition;
  readonly sent: number;
  readonly skipped: number;
  readonly sentAt: Date;
  /**
   * When the durable that received the page was created. A durable that was created later may never have held the page.
   */
  readonly durableFrom: Date;
}
