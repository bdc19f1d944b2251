/**
 * The unified work queue: all unresolved work of every service, as one list. Rows are a read model of the gateway; the
 * record of the owning service is authoritative, and a case (case-view.ts) is always read from it.
 */
import { z } from 'zod';
import { caseProgressSchema } from './case-progress';
import { instantSchema, tenantIdSchema } from './vocabulary';

export const workKinds = [
  'operation',
  'migration',
  'migration_item',
  'webhook_event',
  'provisioning_attempt',
  'deletion',
  'delivery',
  'dead_letter',
  'difference',
] as const;
export const workKindSchema = z.enum(workKinds);
export type WorkKind = z.infer<typeof workKindSchema>;

/**
 * `stopped`: the outcome is unknown, and a person must investigate. `interrupted`: recorded as running, but the process
 * is gone. `running`: an executor is admitted. `waiting`: nothing runs; receipts, a payment or a retry are awaited.
 */
export const workStates = ['stopped', 'interrupted', 'running', 'waiting'] as const;
export const workStateSchema = z.enum(workStates);
export type WorkState = z.infer<typeof workStateSchema>;

/** Minor units of the currency. */
export const moneySchema = z.object({ amountCents: z.int(), currency: z.string() });
export type Money = z.infer<typeof moneySchema>;

export const workItemIdSchema = z
  .string()
  .regex(/^[\x21-\x7e]{1,200}$/, 'must be 1 to 200 printable characters without blanks');

export const workItemSchema = z
  .object({
    kind: workKindSchema,
    id: z.string(),
    tenantId: z.string().nullable(),
    state: workStateSchema,
    /** Status of the record in its owner's terms. */
    status: z.string(),
    /** What the item is: the action, the event's type, or the transition and its consumer. */
    title: z.string(),
    reason: z.string().optional(),
    /** The amount at risk, once or in one billing period of the plan; null when it is unknown. */
    money: moneySchema.nullable(),
    since: instantSchema,
    /** When the owner was last asked about it. */
    checkedAt: instantSchema,
    /** What unresolved records of one incident have in common; a filter of this list. */
    cause: z.string().optional(),
    work: caseProgressSchema.optional().describe('Absent while no person has begun with it.'),
  })
  .meta({ id: 'WorkItem' });
export type WorkItemView = z.infer<typeof workItemSchema>;

/** Ordered by money at risk × age, largest first, as of `asOf`; the pages of one cursor chain share that instant. */
export const workQueuePageSchema = z
  .object({
    items: z.array(workItemSchema),
    asOf: instantSchema,
    total: z.int().optional().describe('How many there are on all pages; for the cases of one person only.'),
    onlyLast: z
      .int()
      .optional()
      .describe('So many of the cases that the person worked on last were looked through, and not all; else absent.'),
    nextCursor: z.string().optional(),
  })
  .meta({ id: 'WorkQueuePage' });
export type WorkQueuePage = z.infer<typeof workQueuePageSchema>;

export const workSourceSchema = z.object({
  source: workKindSchema,
  /**
   * `reading`: the first walk is not finished, so items may be missing. `unavailable`: the last walk did not end; the
   * rows are as old as `walkedAt`.
   */
  state: z.enum(['current', 'reading', 'unavailable']),
  walkedAt: instantSchema.optional(),
  problem: z.string().optional(),
});
export type WorkSource = z.infer<typeof workSourceSchema>;

export const workCountersSchema = z
  .object({
    total: z.int(),
    /** Exact counts, by kind and state. */
    counts: z.array(z.object({ kind: workKindSchema, state: workStateSchema, count: z.int() })),
    sources: z.array(workSourceSchema),
    countedAt: instantSchema,
  })
  .meta({ id: 'WorkCounters' });
export type WorkCounters = z.infer<typeof workCountersSchema>;

export const searchMatchSchema = z.object({
  /** `workspace` leads to the workspace's page, every other kind to a case. */
  kind: z.enum([...workKinds, 'workspace', 'plan']),
  id: z.string(),
  tenantId: z.string().nullable(),
  title: z.string(),
  status: z.string(),
  /** Which identifier matched. */
  matched: z.string(),
  open: z.boolean(),
});
export type SearchMatch = z.infer<typeof searchMatchSchema>;
export const searchAnswerSchema = z
  .object({
    matches: z.array(searchMatchSchema),
    /** Owners that did not answer. */ unavailable: z.array(z.string()),
  })
  .meta({ id: 'SearchAnswer' });
export type SearchAnswer = z.infer<typeof searchAnswerSchema>;

/** One line of the live stream (`text/event-stream`, event `changed`): this item appeared, changed or was resolved. */
export const workChangeSchema = z.object({
  kind: workKindSchema,
  id: z.string().max(200),
  tenantId: tenantIdSchema.nullable(),
  /** Null: the item is resolved. */
  state: workStateSchema.nullable(),
  at: instantSchema,
});
export type WorkChange = z.infer<typeof workChangeSchema>;

/** The gateway's replicas exchange changes on a separate stream, so that each can notify its own browsers. */
export const workChangesStream = 'WORK_CHANGES';
export const workChangedType = 'work.changed.v1';
export const workChangedSubject = (kind: WorkKind): string => `work.changed.${kind}`;
/** Sent instead of single changes when there are too many. */
export const manyChangedSubject = 'work.changed.many';

export const workQueueLimits = {
  listItems: 100,
  searchMatches: 25,
  /** The most unsent events of one browser; above it, the browser gets one notice to read again. */ liveBacklog: 200,
  heartbeatSeconds: 15,
} as const;
