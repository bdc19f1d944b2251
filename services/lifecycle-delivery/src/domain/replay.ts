/**
 * A replay: a consumer receives again the messages that it gave receipts for since a time. It is recorded only on the
 * consumer's record. The messages are sent page by page in the order of the receipts; a page counts as received when
 * the durable to which it went is empty. No delivery is written, so a replay settles nothing.
 */
import {
  lifecycleMessageIds,
  lifecycleSubjects,
  lifecycleTypes,
  type ConsumerView,
  type LifecycleMessage,
} from '@platform/contracts-lifecycle-delivery';
import type { Checked } from '@platform/durable/steps';
import { consumerSteps, type ConsumerRecord } from './consumer';
import type { Replay, ReplayPage, ReplayPosition } from './consumer-work';
import type { Delivery } from './delivery';

export const replayLimits = {
  /**
   * Half of a consumer's budget for reports that change nothing (`report-budget.ts`). Each receipt of a replay is such
   * a repeat, and when a consumer has used up its budget, none of its reports is read for a moment, including first
   * receipts.
   */
  pageSize: 100,
  pageEveryMs: 10_000,
  errorCharacters: 120,
} as const;

export type RunningReplay = Replay & { readonly status: 'running' };

/** The running replay of a consumer that may receive messages now. */
export function runningReplay({ status, paused, replay }: ConsumerRecord): RunningReplay | null {
  if (status !== 'registered' || paused || replay?.status !== 'running') return null;
  return replay as RunningReplay;
}

/** The messages that the broker holds for the consumer. */
export interface ReplayBroker {
  readonly outstanding: number;
  readonly durableFrom: Date;
}

/**
 * The decision of a round: `wait` while the consumer still reads or the last page is too recent; `again` when the
 * broker may have lost the last page; `on` otherwise.
 */
export function nextStep({ page }: RunningReplay, broker: ReplayBroker, now: Date): 'wait' | 'again' | 'on' {
  if (broker.outstanding > 0) return 'wait';
  if (!page) return 'on';
  const age = now.getTime() - page.sentAt.getTime();
  if (age >= 0 && age < replayLimits.pageEveryMs) return 'wait';
  return broker.durableFrom.getTime() === page.durableFrom.getTime() ? 'on' : 'again';
}

/** The instant and position from which the page is read. */
export function startOf({ page, position }: RunningReplay, step: 'again' | 'on'): ReplayPosition | null {
  return (step === 'on' ? page?.upTo : undefined) ?? position ?? null;
}

/** The result of a round. Without `page`, nothing is left to send. */
export interface Advance {
  readonly step: 'again' | 'on';
  readonly page?: ReplayPage;
}

/**
 * The record after a round; null when it has changed meanwhile, because another replica was faster or a person
 * cancelled the replay.
 */
export function advanced(
  record: ConsumerRecord,
  was: RunningReplay,
  { step, page }: Advance,
  now: Date,
): Checked<ConsumerRecord> | null {
  const { replay } = record;
  if (replay?.status !== 'running' || replay.requestId !== was.requestId || !samePage(replay.page, was.page))
    return null;
  const { page: last, ...rest } = replay;
  const confirmed = step === 'on' ? last : undefined;
  const next: Replay = {
    ...rest,
    received: rest.received + (confirmed?.sent ?? 0),
    skipped: rest.skipped + (confirmed?.skipped ?? 0),
    ...(confirmed && { position: confirmed.upTo }),
    ...(page ? { page } : { status: 'completed', endedAt: now }),
  };
  return consumerSteps.keep<ConsumerRecord>(record, { replay: next });
}

function samePage(one: ReplayPage | undefined, other: ReplayPage | undefined): boolean {
  return one?.sentAt.getTime() === other?.sentAt.getTime() && one?.upTo[1] === other?.upTo[1];
}

/** The message as it was delivered, under an id of the replay: the broker drops a repeat to the same durable. */
export function publicationOfReplay(delivery: Delivery, { requestId }: Replay, durableFrom: Date) {
  const { _id, tenantId, operationId, transition, requestedAt, consumer, traceparent } = delivery;
  const body: LifecycleMessage = { tenantId, operationId, transition, requestedAt: requestedAt.toISOString() };
  return {
    subject: lifecycleSubjects.delivery(transition, consumer),
    id: lifecycleMessageIds.replayed(requestId, _id, durableFrom),
    type: lifecycleTypes.delivery,
    body,
    ...(traceparent !== undefined && { traceparent }),
  };
}

/**
 * Counts a failed run on a message that already has a receipt, while a replay runs; null when this report is already
 * counted, or no replay runs.
 */
export function noteReplayFailure(
  record: ConsumerRecord,
  { reportId, error, at }: { readonly reportId: string; readonly error: string; readonly at: Date },
): Checked<ConsumerRecord> | null {
  const { replay } = record;
  if (replay?.status !== 'running' || replay.failures?.reportId === reportId) return null;
  const failures = {
    count: (replay.failures?.count ?? 0) + 1,
    error: error.slice(0, replayLimits.errorCharacters),
    reportId,
    at,
  };
  return consumerSteps.keep<ConsumerRecord>(record, { replay: { ...replay, failures } });
}

export function replayOf({ replay }: ConsumerRecord): Pick<ConsumerView, 'replay'> {
  if (!replay) return {};
  const { requestId, by, reason, since, startedAt, status, endedAt, page, received, skipped, failures } = replay;
  const position = page?.upTo ?? replay.position;
  return {
    replay: {
      ...{ requestId, by, reason, status, received },
      since: since.toISOString(),
      startedAt: startedAt.toISOString(),
      ...(endedAt && { endedAt: endedAt.toISOString() }),
      ...(position && { position: position[0].toISOString() }),
      // A page that was sent when the replay was cancelled may still be received.
      underWay: page?.sent ?? 0,
      skipped: skipped + (page?.skipped ?? 0),
      ...(failures && {
        failures: { count: failures.count, error: failures.error, at: failures.at.toISOString() },
      }),
    },
  };
}
