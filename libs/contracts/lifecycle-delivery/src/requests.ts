/** Requests answered by lifecycle-delivery over request/reply: registration of consumers and inspection. */
import { z } from 'zod';
import { consumerViewSchema, refusedReceiptsSchema } from './consumer-actions';
import {
  consumerNameSchema,
  contactSchema,
  instantSchema,
  lifecycleLimits,
  lifecycleOperationIdSchema,
  lifecycleTransitionSchema,
  tenantIdSchema,
} from './vocabulary';

export const lifecycleRequests = {
  /**
   * A consumer publishes under its own name: the broker's permissions enforce it, whatever the body says. The service
   * listens on `*`.
   */
  register: (consumer: string) => `lifecycle.consumer.register.${consumer}`,
  unregister: (consumer: string) => `lifecycle.consumer.unregister.${consumer}`,
  /** A person's action on a consumer, sent by the gateway. */
  act: 'lifecycle.consumer_action',
  consumers: 'lifecycle.inspect.consumers',
  deliveries: 'lifecycle.inspect.deliveries',
  operation: 'lifecycle.inspect.operation',
  actions: 'lifecycle.inspect.actions',
  accepted: 'lifecycle.inspect.accepted',
} as const;

export const registerConsumerSchema = z.object({
  name: consumerNameSchema,
  transitions: z
    .array(lifecycleTransitionSchema)
    .min(1)
    .max(3)
    .refine((list) => new Set(list).size === list.length, 'must not repeat a transition'),
  /** The instance that registers, for people. */
  registeredBy: z.string().min(1).max(200),
  /**
   * True for a renewal by a running consumer (after a reconnect, and periodically): the answer is the same, and the
   * registration of another instance does not change.
   */
  renew: z.boolean().default(false),
  /**
   * Release of the consumer, an increasing number: while two run side by side, the older one never replaces the newer
   * one.
   */
  version: z.int().min(0).optional(),
  contact: contactSchema.optional(),
  /** Whether it answers tests (`tenant.lifecycle_test.v1`). Without this it receives none. */
  answersTests: z.boolean().optional(),
});
export type RegisterConsumer = z.infer<typeof registerConsumerSchema>;

/** The durable that the consumer reads from; it exists when the answer arrives. */
export const registeredConsumerSchema = z.object({
  name: consumerNameSchema,
  stream: z.string(),
  durable: z.string(),
  replaced: z.boolean(),
  /**
   * Present and true: a later registration of the same name with other transitions is in force, and this registration
   * changed nothing.
   */
  superseded: z.boolean().optional(),
  /**
   * Absent while every receipt of this consumer was accepted. A renewal is sent twice a minute, so a consumer soon
   * learns of a refusal.
   */
  refusedReceipts: refusedReceiptsSchema.optional(),
});
export type RegisteredConsumer = z.infer<typeof registeredConsumerSchema>;

export const unregisterConsumerSchema = z.object({
  name: consumerNameSchema,
  registeredBy: z.string().min(1).max(200),
});
export type UnregisterConsumer = z.infer<typeof unregisterConsumerSchema>;
/**
 * `removed` is false when the name is not registered, or when a later instance registered it, whose registration stays.
 */
export const unregisteredConsumerSchema = z.object({ name: consumerNameSchema, removed: z.boolean() });
export type UnregisteredConsumer = z.infer<typeof unregisteredConsumerSchema>;

/** Codes with which these requests are refused. */
export const lifecycleRefusalCodes = [
  'invalid_request',
  'foreign_name',
  'store_unavailable',
  'broker_unavailable',
  'too_many_consumers',
  'unknown_consumer',
  'request_id_reused',
  'tests_not_answered',
  'consumer_paused',
  'test_too_soon',
  'replay_running',
  'no_replay',
  'since_not_past',
  'served_over_http',
  'served_by_broker',
  'endpoint_not_allowed',
  'no_endpoint',
] as const;
export type LifecycleRefusalCode = (typeof lifecycleRefusalCodes)[number];

export const deliveryStatuses = ['pending', 'succeeded', 'failed', 'skipped_deleted', 'waived'] as const;
export const deliveryStatusSchema = z.enum(deliveryStatuses);
export type DeliveryStatus = z.infer<typeof deliveryStatusSchema>;

const receiptViewSchema = z.object({ receiptId: z.string(), effectiveAt: instantSchema, acceptedAt: instantSchema });

/** A consumer's answer: its receipt, the report of a failed run, or a receipt that could not be accepted. */
export const attemptAnswers = ['receipt', 'run_failed', 'receipt_refused'] as const;

export const attemptViewSchema = z.object({
  number: z.int(),
  /** Id of the message that the consumer received. */
  messageId: z.string(),
  startedAt: instantSchema,
  /** Failed runs and refused receipts between this attempt and the next one. */
  failures: z.int(),
  /** The last answer; absent while there is none. A report names no attempt, so it belongs to the last one. */
  answer: z.object({ kind: z.enum(attemptAnswers), at: instantSchema, error: z.string().optional() }).optional(),
});
export type AttemptView = z.infer<typeof attemptViewSchema>;

export const deliveryViewSchema = z.object({
  operationId: lifecycleOperationIdSchema,
  tenantId: tenantIdSchema,
  transition: lifecycleTransitionSchema,
  consumer: consumerNameSchema,
  status: deliveryStatusSchema,
  /** Publications to the consumer's durable that this service has begun. */
  attemptCount: z.int(),
  /** Failed runs that the consumer has reported. */
  failureCount: z.int(),
  /** The last attempts, oldest first: as many as one answer holds, at most 20. Earlier releases do not include them. */
  attempts: z.array(attemptViewSchema).optional(),
  lastError: z.string().optional(),
  nextAttemptAt: instantSchema.optional(),
  receipt: receiptViewSchema.optional(),
  /** Present for a delivery that a person waived, off-line and permanently. */
  waiver: z
    .object({
      by: z.string(),
      /** How the person knows that the consumer gives no receipt. */
      proof: z.string(),
      /** Why the message may proceed without the consumer's effect. */
      reason: z.string(),
      stillRegistered: z.boolean(),
      waivedAt: instantSchema,
      lateReceipt: receiptViewSchema.optional(),
    })
    .optional(),
  /** Why there is no receipt: the consumer unregistered or is paused, has not answered yet, or answers with errors. */
  waitingFor: z.enum(['consumer_unregistered', 'consumer_paused', 'receipt', 'retry']).optional(),
  createdAt: instantSchema,
});
export type DeliveryView = z.infer<typeof deliveryViewSchema>;

export const inspectDeliveriesSchema = z.object({
  status: deliveryStatusSchema.optional(),
  consumer: consumerNameSchema.optional(),
  /** Which entries come first; callers that walk through all of them begin with the oldest. */
  order: z.enum(['oldest', 'newest']).default('oldest'),
  cursor: z.string().max(500).optional(),
  limit: z.int().min(1).max(lifecycleLimits.listItems).default(50),
});
export const deliveriesPageSchema = z.object({
  deliveries: z.array(deliveryViewSchema),
  nextCursor: z.string().optional(),
});
export const consumersListSchema = z.object({ consumers: z.array(consumerViewSchema) });
/** Consumers by name; those after this one. */
export const inspectConsumersSchema = z.object({ after: consumerNameSchema.optional() });
/** `nextAfter` continues the list as `after`: not every list fits into one reply. */
export const consumersPageSchema = consumersListSchema.extend({ nextAfter: z.string().optional() });

/**
 * Which of these messages lifecycle-delivery has on record, and which of those are settled. The sender of a message
 * ends its own record by this answer; a message that differs from the recorded one with its id is not included.
 */
export const inspectAcceptedSchema = z.object({
  messages: z
    .array(
      z.object({
        operationId: lifecycleOperationIdSchema,
        tenantId: tenantIdSchema,
        transition: lifecycleTransitionSchema,
      }),
    )
    .min(1)
    .max(lifecycleLimits.messagesPerQuestion),
});
export type InspectAccepted = z.infer<typeof inspectAcceptedSchema>;
export const acceptedMessagesSchema = z.object({
  accepted: z.array(z.object({ operationId: lifecycleOperationIdSchema, settled: z.boolean() })),
});
export type AcceptedMessages = z.infer<typeof acceptedMessagesSchema>;

export const inspectOperationSchema = z.object({ operationId: lifecycleOperationIdSchema });
/** What lifecycle-delivery knows of one operation; `message` is absent while the message has not arrived. */
export const lifecycleOfOperationSchema = z.object({
  message: z
    .object({
      transition: lifecycleTransitionSchema,
      requestedAt: instantSchema,
      acceptedAt: instantSchema,
      required: z.array(consumerNameSchema),
      settledAt: instantSchema.optional(),
    })
    .optional(),
  deliveries: z.array(deliveryViewSchema),
});
export type LifecycleOfOperation = z.infer<typeof lifecycleOfOperationSchema>;
