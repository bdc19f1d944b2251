/**
 * What an endpoint's answer means. Only a receipt of this very message is a success: a 2xx without one says that the
 * message arrived, and not that its effect is durable.
 */
import {
  consumerTestSchema,
  lifecycleLimits,
  lifecycleMessageSchema,
  lifecycleTypes,
  receiptMessageSchema,
  testReceiptSchema,
  type ConsumerTest,
  type LifecycleMessage,
  type ReceiptMessage,
  type TestReceipt,
} from '@platform/contracts-lifecycle-delivery';
import { describeMismatch } from '@platform/durable/answering';
import type { InboundMessage } from '@platform/messaging';
import { z } from 'zod';
import type { PostOutcome } from '../endpoints/port';

/** What is posted: a transition of a workspace, or a test. */
export type Posted =
  | { readonly kind: 'delivery'; readonly body: LifecycleMessage }
  | { readonly kind: 'test'; readonly body: ConsumerTest };

/** Null for a message that this release cannot read. */
export function readPosted({ type, body }: Pick<InboundMessage, 'type' | 'body'>): Posted | null {
  if (type === lifecycleTypes.test) {
    const decoded = consumerTestSchema.safeParse(body);
    return decoded.success ? { kind: 'test', body: decoded.data } : null;
  }
  const decoded = lifecycleMessageSchema.safeParse(body);
  return decoded.success && type === lifecycleTypes.delivery ? { kind: 'delivery', body: decoded.data } : null;
}

export type Answer =
  | { readonly kind: 'receipt'; readonly receipt: ReceiptMessage }
  | { readonly kind: 'test_receipt'; readonly receipt: TestReceipt }
  /** The endpoint answered 2xx, but its body is not the receipt of this message. */
  | { readonly kind: 'receipt_refused'; readonly reason: string }
  /** `waitMs`: the pause that the endpoint requested. */
  | { readonly kind: 'failed'; readonly reason: string; readonly waitMs?: number }
  | { readonly kind: 'gone'; readonly reason: string };

/** The longest pause that an endpoint can request, so that a wrong value stops its messages only for a short time. */
export const askedPauseMaxMs = 900_000;

const gone = 410;
const busy: readonly number[] = [429, 503];

export function readAnswer(posted: Posted, outcome: PostOutcome, now: Date): Answer {
  if (outcome.kind === 'not_sent') return failed(`the message was not sent: ${outcome.reason}`);
  if (outcome.kind === 'unanswered')
    return failed(`it is not known whether the message took effect: ${outcome.reason}`);
  const { status, body, retryAfter } = outcome;
  if (status >= 200 && status < 300) return readReceipt(posted, status, body);
  if (status >= 300 && status < 400) return failed(`HTTP ${status}: redirects are not followed`);
  const reason = `HTTP ${status}${saidBy(body)}`.slice(0, lifecycleLimits.errorCharacters);
  if (status === gone) return { kind: 'gone', reason };
  const waitMs = busy.includes(status) ? pauseOf(retryAfter, now) : null;
  return waitMs === null ? failed(reason) : { kind: 'failed', reason, waitMs };
}

const failed = (reason: string): Answer => ({ kind: 'failed', reason });
const refused = (reason: string): Answer => ({ kind: 'receipt_refused', reason });

function readReceipt(posted: Posted, status: number, body: string): Answer {
  if (body.trim() === '') return refused(`HTTP ${status} without a body: the body must be the receipt`);
  const read = parsed(body);
  if (read === undefined) return refused(`HTTP ${status}: the body is no JSON`);
  if (posted.kind === 'test') {
    const decoded = testReceiptSchema.safeParse(read);
    if (!decoded.success) return refused(describeMismatch(decoded.error));
    return decoded.data.testId === posted.body.testId
      ? { kind: 'test_receipt', receipt: decoded.data }
      : refused('testId is not that of the test');
  }
  const decoded = receiptMessageSchema.safeParse(read);
  if (!decoded.success) return refused(describeMismatch(decoded.error));
  const { tenantId, operationId, transition } = posted.body;
  const { data } = decoded;
  if (data.operationId !== operationId) return refused('operationId is not that of the delivery');
  if (data.tenantId !== tenantId) return refused('tenantId is not that of the delivery');
  if (data.transition !== transition) return refused('transition is not that of the delivery');
  return { kind: 'receipt', receipt: data };
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body) as unknown;
  } catch {
    return undefined;
  }
}

const errorSchema = z.object({ error: z.string().min(1) });

/** The team's own words, when its body has them: the `error` of a failed run, as over the broker. */
function saidBy(body: string): string {
  const decoded = errorSchema.safeParse(parsed(body));
  return decoded.success ? `: ${decoded.data.error}` : '';
}

/** Seconds, or a date; null when there is neither. */
function pauseOf(retryAfter: string | undefined, now: Date): number | null {
  if (retryAfter === undefined) return null;
  const ms = /^\d{1,9}$/.test(retryAfter) ? Number(retryAfter) * 1_000 : Date.parse(retryAfter) - now.getTime();
  return Number.isNaN(ms) ? null : Math.min(Math.max(ms, 0), askedPauseMaxMs);
}
