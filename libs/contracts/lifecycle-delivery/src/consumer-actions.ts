/** What a person does to a consumer, and what people read about one. */
import { z } from 'zod';
import {
  consumerNameSchema,
  instantSchema,
  lifecycleLimits,
  lifecycleOperationIdSchema,
  lifecycleTransitionSchema,
  requestIdSchema,
} from './vocabulary';

/** `test`: one message that is plainly a test leaves to the consumer. */
export const consumerActions = ['pause', 'resume', 'test'] as const;

/** Those that are listed as `actions`; tests are listed apart. */
const recordedActions = consumerActions.filter((action) => action !== 'test');

/** `requestId` is the caller's: a repeat after a lost answer changes nothing and is answered alike. */
export const consumerActionSchema = z.strictObject({
  requestId: requestIdSchema.describe('Chosen by the caller; a repeat with the same id changes nothing.'),
  action: z.enum(consumerActions).describe('What is done.'),
  reason: z.string().trim().min(3).max(lifecycleLimits.reasonCharacters),
});
export const actOnConsumerSchema = z.object({
  ...consumerActionSchema.shape,
  consumer: consumerNameSchema,
  /** Who answers for it: the address of the person's token. */
  by: z.string().min(1).max(320),
});
export type ActOnConsumer = z.infer<typeof actOnConsumerSchema>;

/** One thing that a person did to a consumer. */
export const consumerActionViewSchema = z.object({
  requestId: z.string().describe('Chosen by the caller; a repeat with the same id changes nothing.'),
  action: z.enum(recordedActions).describe('What was done.'),
  by: z.string(),
  at: instantSchema,
  reason: z.string(),
});

/** One test of a consumer. While it has neither a receipt nor a failure, it is not known whether it will. */
export const consumerTestViewSchema = z.object({
  testId: z.string().describe('The `requestId` under which it was requested.'),
  by: z.string(),
  reason: z.string(),
  requestedAt: instantSchema,
  sentAt: instantSchema.optional().describe('When the broker acknowledged it; absent while it has not.'),
  receipt: z
    .object({ receiptId: z.string(), effectiveAt: instantSchema, acceptedAt: instantSchema })
    .optional()
    .describe('What the consumer answered. Absent while it has not.'),
  failure: z
    .object({ error: z.string(), at: instantSchema })
    .optional()
    .describe('The last failed run of the test; a receipt may follow.'),
});
export type ConsumerTestView = z.infer<typeof consumerTestViewSchema>;

/** The consumer's reports that this service refused: how many, and the last one. */
export const refusedReceiptsSchema = z.object({
  count: z.int(),
  last: z.object({
    at: instantSchema,
    /** Which field differs from the contract or from the delivery. */
    reason: z.string(),
    operationId: lifecycleOperationIdSchema.optional(),
  }),
});
export type RefusedReceipts = z.infer<typeof refusedReceiptsSchema>;

export const consumerViewSchema = z.object({
  name: consumerNameSchema,
  transitions: z.array(lifecycleTransitionSchema),
  registeredBy: z.string(),
  version: z.int().optional(),
  contact: z.string().optional(),
  status: z.enum(['registered', 'unregistered']),
  registeredAt: instantSchema,
  waitingDeliveries: z.int(),
  oldestWaitingAt: instantSchema.optional(),
  refusedReceipts: refusedReceiptsSchema.optional(),
  /** Present and true: nothing is sent to it until a person resumes it. */
  paused: z.boolean().optional(),
  /** What people did to it, oldest first: as many as one answer holds, 20 at most. Absent while there is nothing. */
  actions: z.array(consumerActionViewSchema).optional(),
  answersTests: z.boolean().optional().describe('Present and true: its registration says that it answers tests.'),
  tests: z
    .array(consumerTestViewSchema)
    .optional()
    .describe('Oldest first: as many as one answer holds, 20 at most. Absent while there is none.'),
});
export type ConsumerView = z.infer<typeof consumerViewSchema>;
