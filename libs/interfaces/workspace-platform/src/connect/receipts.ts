/**
 * Checks a consumer's receipt: one that the platform would refuse counts as a failed run, and is logged at the
 * consumer.
 */
import { consumerReceiptSchema, lifecycleLimits, type ConsumerReceipt } from '@platform/contracts-lifecycle-delivery';
import type { TenantLifecycleConsumerReceipt } from '../tenant-lifecycle/types';

class MalformedReceiptError extends Error {
  override name = 'MalformedReceiptError';
}

/** The receipt in the form of messages. Throws {@link MalformedReceiptError} that names the error. */
export function decodeReceipt(returned: TenantLifecycleConsumerReceipt): ConsumerReceipt {
  const { receiptId, effectiveAt } = (returned ?? {}) as Partial<TenantLifecycleConsumerReceipt>;
  const instant =
    effectiveAt instanceof Date && !Number.isNaN(effectiveAt.getTime()) ? effectiveAt.toISOString() : effectiveAt;
  const decoded = consumerReceiptSchema.safeParse({ receiptId, effectiveAt: instant });
  if (decoded.success) return decoded.data;
  const mistakes = decoded.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  throw new MalformedReceiptError(`consume returned a malformed receipt: ${mistakes.join('; ')}`);
}

/** The error of a run, shortened to the size that a message allows. */
export function describeFailure(error: unknown): string {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return text.slice(0, lifecycleLimits.errorCharacters);
}
