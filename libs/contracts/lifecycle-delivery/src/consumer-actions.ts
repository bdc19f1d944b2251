/** People's actions on a consumer, and what people read about one. */
import { shownText, shownTextRule } from '@platform/kernel/text';
import { z } from 'zod';
import { endpointRegistrationSchema, endpointViewSchema } from './endpoints';
import {
  consumerNameSchema,
  instantSchema,
  lifecycleLimits,
  lifecycleOperationIdSchema,
  lifecycleTransitionSchema,
  requestIdSchema,
} from './vocabulary';

/**
 * `test`: one message, clearly marked as a test, is sent to the consumer. `replay`: the consumer receives again the
 * messages that it gave receipts for since a time. `register_endpoint`: a consumer of this name
 * is served over HTTP from now on.
 */
export const consumerActions = [
  'pause',
  'resume',
  'test',
  'replay',
  'cancel_replay',
  'register_endpoint',
  'remove_endpoint',
] as const;

/** The actions that are listed as `actions`; tests are listed separately. */
const recordedActions = consumerActions.filter((action) => action !== 'test');

const actionFields = {
  requestId: requestIdSchema.describe('Chosen by the caller; a repeat with the same id changes nothing.'),
  action: z.enum(consumerActions).describe('What is done.'),
  reason: z.string().trim().min(3).max(lifecycleLimits.reasonCharacters).regex(shownText, shownTextRule),
  since: instantSchema
    .optional()
    .describe('With `replay`, and with nothing else: what has a receipt from this instant on is sent again.'),
  endpoint: endpointRegistrationSchema
    .optional()
    .describe('With `register_endpoint`, and with nothing else: where the team is served over HTTP, and with what.'),
};
interface Accompanied {
  readonly action: string;
  readonly since?: unknown;
  readonly endpoint?: unknown;
}
const sinceFits = ({ action, since }: Accompanied): boolean => (action === 'replay') === (since !== undefined);
const sinceMisfit = { path: ['since'], error: 'is needed with replay, and with nothing else' };
const endpointFits = ({ action, endpoint }: Accompanied): boolean =>
  (action === 'register_endpoint') === (endpoint !== undefined);
const endpointMisfit = { path: ['endpoint'], error: 'is needed with register_endpoint, and with nothing else' };

/** `requestId` is chosen by the caller: a repeat after a lost answer changes nothing and gets the same answer. */
export const consumerActionSchema = z
  .strictObject(actionFields)
  .refine(sinceFits, sinceMisfit)
  .refine(endpointFits, endpointMisfit);
export const actOnConsumerSchema = z
  .object({
    ...actionFields,
    consumer: consumerNameSchema,
    /** The person who answers for the action: the address in the token. */
    by: z.string().min(1).max(320),
  })
  .refine(sinceFits, sinceMisfit)
  .refine(endpointFits, endpointMisfit);
export type ActOnConsumer = z.infer<typeof actOnConsumerSchema>;

/** One action of a person on a consumer. */
export const consumerActionViewSchema = z.object({
  requestId: z.string().describe('Chosen by the caller; a repeat with the same id changes nothing.'),
  action: z.enum(recordedActions).describe('What was done.'),
  by: z.string(),
  at: instantSchema,
  reason: z.string(),
  since: instantSchema.optional().describe('Of a replay.'),
  endpoint: endpointViewSchema.optional().describe('Of the registration of an endpoint.'),
});

/** People's actions on all consumers, in the order of time: a page of `lifecycle.inspect.actions`. */
export const inspectActionsSchema = z.object({
  by: z.string().max(320).optional(),
  from: instantSchema.optional(),
  to: instantSchema.optional(),
  order: z.enum(['oldest', 'newest']).default('newest'),
  /** The last entry of the previous page. */
  after: z.object({ at: instantSchema, id: z.string().max(200) }).optional(),
  limit: z.int().min(1).max(lifecycleLimits.actionItems),
});
export type InspectActions = z.infer<typeof inspectActionsSchema>;

export const askedActionSchema = z.object({
  /** `<consumer>/<requestId>`. */
  id: z.string(),
  consumer: consumerNameSchema,
  action: z.enum(consumerActions),
  by: z.string(),
  reason: z.string(),
  at: instantSchema,
  /** `recorded`: the action took effect when it was recorded, or its outcome is no longer on record. */
  status: z.enum(['recorded', 'pending', 'succeeded', 'failed', 'running', 'completed', 'cancelled']),
});
export type AskedAction = z.infer<typeof askedActionSchema>;
export const actionsPageSchema = z.object({ actions: z.array(askedActionSchema) });

/** One test of a consumer. Without a receipt and a failure, it is not known whether either will come. */
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

export const replayStatuses = ['running', 'completed', 'cancelled'] as const;

/** The last replay of a consumer. */
export const replayViewSchema = z.object({
  requestId: z.string().describe('The `requestId` under which it was requested.'),
  by: z.string(),
  reason: z.string(),
  since: instantSchema.describe('What has a receipt from this instant on is sent again …'),
  startedAt: instantSchema.describe('… up to this instant, when a person asked.'),
  status: z.enum(replayStatuses),
  endedAt: instantSchema.optional(),
  position: instantSchema
    .optional()
    .describe('Time of the receipt up to which messages have left; absent before the first page.'),
  received: z.int().describe('Messages that the consumer has acknowledged.'),
  underWay: z.int().describe('Messages of the page that left last.'),
  skipped: z.int().describe('Left out: their workspace is deleted, or their transition is not registered any more.'),
  failures: z
    .object({ count: z.int(), error: z.string(), at: instantSchema })
    .optional()
    .describe('Failed runs that the consumer reported of it; a failed run is not sent again.'),
});
export type ReplayView = z.infer<typeof replayViewSchema>;

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

export const consumerViewSchema = z
  .object({
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
    /** Present and true: nothing is sent to the consumer until a person resumes it. */
    paused: z.boolean().optional(),
    /** People's actions on it, oldest first: as many as one answer holds, at most 20. Absent while there is none. */
    actions: z.array(consumerActionViewSchema).optional(),
    answersTests: z.boolean().optional().describe('Present and true: its registration says that it answers tests.'),
    tests: z
      .array(consumerTestViewSchema)
      .optional()
      .describe('Oldest first: as many as one answer holds, 20 at most. Absent while there is none.'),
    replay: replayViewSchema.optional().describe('The last replay; absent while there was none.'),
    endpoint: endpointViewSchema.optional().describe('Present for a team that is served over HTTP.'),
  })
  .meta({ id: 'Consumer' });
export type ConsumerView = z.infer<typeof consumerViewSchema>;
