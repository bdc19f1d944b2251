/** What a consumer hands back, checked: a receipt that the platform would refuse is a failed run, told to the consumer's own log. */
import { consumerReceiptSchema, LIFECYCLE_LIMITS, type ConsumerReceipt } from '@platform/contracts-lifecycle-delivery';
import type { TenantLifecycleConsumerReceipt } from '../tenant-lifecycle/types';

class MalformedReceiptError extends Error {
  override name = 'MalformedReceiptError';
}

/** The receipt as messages carry it. Throws {@link MalformedReceiptError} that names what is wrong. */
export function decodeReceipt(returned: TenantLifecycleConsumerReceipt): ConsumerReceipt {
  const { receiptId, effectiveAt } = (returned ?? {}) as Partial<TenantLifecycleConsumerReceipt>;
  const instant =
    effectiveAt instanceof Date && !Number.isNaN(effectiveAt.getTime()) ? effectiveAt.toISOString() : effectiveAt;
  const decoded = consumerReceiptSchema.safeParse({ receiptId, effectiveAt: instant });
  if (decoded.success) return decoded.data;
  const mistakes = decoded.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  throw new MalformedReceiptError(`consume returned a malformed receipt: ${mistakes.join('; ')}`);
}

/** What a run died of, cut to what a message may carry. */
export function describeFailure(error: unknown): string {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return text.slice(0, LIFECYCLE_LIMITS.errorCharacters);
}
