/**
 * Messages of tenant lifecycle delivery: subjects, CloudEvents types and bodies (contracts §5). Dates are ISO 8601 in
 * UTC.
 */
import { z } from 'zod';
import {
  consumerNameSchema,
  foreignInstantSchema,
  instantSchema,
  lifecycleLimits,
  lifecycleOperationIdSchema,
  lifecycleTransitionSchema,
  requestIdSchema,
  tenantIdSchema,
  type LifecycleTransition,
} from './vocabulary';

/** Body of `lifecycle.message.<transition>` and of `tenant.lifecycle.<transition>.<consumer>`. */
export const lifecycleMessageSchema = z.object({
  tenantId: tenantIdSchema,
  operationId: lifecycleOperationIdSchema,
  transition: lifecycleTransitionSchema,
  requestedAt: instantSchema,
});
export type LifecycleMessage = z.infer<typeof lifecycleMessageSchema>;

/** Body of `lifecycle.message.tenant_deleted`: deliveries of this tenant are skipped from now on. */
export const tenantDeletedSchema = z.object({
  tenantId: tenantIdSchema,
  operationId: lifecycleOperationIdSchema,
  deletedAt: instantSchema,
});
export type TenantDeleted = z.infer<typeof tenantDeletedSchema>;

/** Body of `lifecycle.settled.tenant_deleted`: the tenant is marked, and no delivery waits for it any more. */
export const tenantDeletedSettledSchema = z.object({
  tenantId: tenantIdSchema,
  operationId: lifecycleOperationIdSchema,
  settledAt: instantSchema,
});
export type TenantDeletedSettled = z.infer<typeof tenantDeletedSettledSchema>;

/** What a consumer's `consume` returns (specification §4): its durable evidence that the effect is durable. */
export const consumerReceiptSchema = z.object({
  receiptId: z.string().min(1).max(lifecycleLimits.receiptIdCharacters),
  effectiveAt: foreignInstantSchema,
});
export type ConsumerReceipt = z.infer<typeof consumerReceiptSchema>;

/** Body of `tenant.receipt.<consumer>`, type `tenant.receipt.v1`. */
export const receiptMessageSchema = consumerReceiptSchema.extend({
  tenantId: tenantIdSchema,
  operationId: lifecycleOperationIdSchema,
  transition: lifecycleTransitionSchema,
});
export type ReceiptMessage = z.infer<typeof receiptMessageSchema>;

/**
 * Body of `tenant.receipt.<consumer>`, type `tenant.delivery_failed.v1`: `consume` threw or returned a malformed
 * receipt.
 */
export const deliveryFailedSchema = z.object({
  tenantId: tenantIdSchema,
  operationId: lifecycleOperationIdSchema,
  transition: lifecycleTransitionSchema,
  error: z.string().max(lifecycleLimits.errorCharacters),
  failedAt: instantSchema,
});
export type DeliveryFailed = z.infer<typeof deliveryFailedSchema>;

/**
 * Body of `tenant.lifecycle.test.<consumer>`, type `tenant.lifecycle_test.v1`: it names no workspace, no operation and
 * no transition, so it cannot be read as a lifecycle message. Only consumers whose registration says that they answer
 * tests receive one.
 */
export const consumerTestSchema = z.object({
  testId: requestIdSchema,
  consumer: consumerNameSchema,
  requestedAt: instantSchema,
});
export type ConsumerTest = z.infer<typeof consumerTestSchema>;

/** Body of `tenant.receipt.<consumer>`, type `tenant.test_receipt.v1`. */
export const testReceiptSchema = consumerReceiptSchema.extend({ testId: requestIdSchema });
export type TestReceipt = z.infer<typeof testReceiptSchema>;

/** Body of `tenant.receipt.<consumer>`, type `tenant.test_failed.v1`. */
export const testFailedSchema = z.object({
  testId: requestIdSchema,
  error: z.string().max(lifecycleLimits.errorCharacters),
  failedAt: instantSchema,
});
export type TestFailed = z.infer<typeof testFailedSchema>;

/** Body of `lifecycle.settled.<transition>`: every required consumer has a durable receipt or a recorded waiver. */
export const settledMessageSchema = z.object({
  tenantId: tenantIdSchema,
  operationId: lifecycleOperationIdSchema,
  transition: lifecycleTransitionSchema,
  receipts: z.array(z.object({ consumer: consumerNameSchema, receiptId: z.string(), effectiveAt: instantSchema })),
  /** Consumers whose receipt a person waived; absent when there is none. */
  waived: z
    .array(z.object({ consumer: consumerNameSchema, by: z.string(), reason: z.string(), waivedAt: instantSchema }))
    .optional(),
  /**
   * How many receipts and waivers did not fit into this message; `lifecycle.inspect.operation` has them all. Absent:
   * none.
   */
  omitted: z.object({ receipts: z.int(), waived: z.int() }).optional(),
  settledAt: instantSchema,
});
export type SettledMessage = z.infer<typeof settledMessageSchema>;

export const lifecycleTypes = {
  message: (transition: LifecycleTransition) => `lifecycle.message.${transition}.v1`,
  tenantDeleted: 'lifecycle.message.tenant_deleted.v1',
  delivery: 'tenant.lifecycle.v1',
  receipt: 'tenant.receipt.v1',
  deliveryFailed: 'tenant.delivery_failed.v1',
  test: 'tenant.lifecycle_test.v1',
  testReceipt: 'tenant.test_receipt.v1',
  testFailed: 'tenant.test_failed.v1',
  settled: (transition: LifecycleTransition) => `lifecycle.settled.${transition}.v1`,
  tenantDeletedSettled: 'lifecycle.settled.tenant_deleted.v1',
} as const;

export const lifecycleSubjects = {
  message: (transition: LifecycleTransition) => `lifecycle.message.${transition}`,
  tenantDeleted: 'lifecycle.message.tenant_deleted',
  delivery: (transition: LifecycleTransition, consumer: string) => `tenant.lifecycle.${transition}.${consumer}`,
  /** `test` is not a transition. */
  test: (consumer: string) => `tenant.lifecycle.test.${consumer}`,
  /** All messages that are delivered to one consumer. */
  deliveriesOf: (consumer: string) => `tenant.lifecycle.*.${consumer}`,
  receipt: (consumer: string) => `tenant.receipt.${consumer}`,
  settled: (transition: LifecycleTransition) => `lifecycle.settled.${transition}`,
  tenantDeletedSettled: 'lifecycle.settled.tenant_deleted',
} as const;

export const lifecycleStreams = {
  messages: 'LIFECYCLE',
  deliveries: 'TENANT_LIFECYCLE',
  receipts: 'TENANT_RECEIPTS',
  settled: 'LIFECYCLE_SETTLED',
} as const;

/** Stable message ids; receivers and the broker recognise repeats by them. */
export const lifecycleMessageIds = {
  message: (operationId: string) => `lifecycle:${operationId}`,
  tenantDeleted: (tenantId: string) => `tenant-deleted:${tenantId}`,
  tenantDeletedSettled: (operationId: string) => `tenant-deleted-settled:${operationId}`,
  settled: (operationId: string) => `settled:${operationId}`,
  /** The id of a delivery's `attempt`-th publication. */
  delivery: (deliveryId: string, attempt: number) => `delivery:${deliveryId}:${attempt}`,
  /** The id of a delivery over HTTP, the same for each attempt: receivers use it as a key of idempotency. */
  posted: (deliveryId: string) => `delivery:${deliveryId}`,
  /**
   * A consumer's receipt is one fact per operation, but each failed run is a separate fact, so its id has a new `run`.
   */
  receipt: (operationId: string, consumer: string) => `receipt:${consumer}:${operationId}`,
  deliveryFailed: (operationId: string, consumer: string, run: string) =>
    `delivery-failed:${consumer}:${operationId}:${run}`,
  /**
   * The id of a delivery that a replay sends again. It contains the instant when the durable was created: a durable
   * that is recreated within the broker's duplicate window never held the messages of the former one. By the prefix, a
   * consumer knows that it must run again.
   */
  replayed: (requestId: string, deliveryId: string, durableFrom: Date) =>
    `replay:${requestId}:${durableFrom.getTime().toString(36)}:${deliveryId}`,
  test: (testId: string, consumer: string) => `test:${consumer}:${testId}`,
  testReceipt: (testId: string, consumer: string) => `test-receipt:${consumer}:${testId}`,
  testFailed: (testId: string, consumer: string, run: string) => `test-failed:${consumer}:${testId}:${run}`,
} as const;

/** Whether a message with this id was sent by a replay. */
export function isReplayed(messageId: string): boolean {
  return messageId.startsWith('replay:');
}
