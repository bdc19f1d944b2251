/**
 * Bulk plan migrations as the gateway accepts and shows them (contracts §§2, 4.3). A migration does not remove the
 * source plan. The list is captured once and never changes; each of its workspaces ends in exactly one outcome.
 */
import { executorKnowledgeSchema, executorStateSchema } from '@platform/contracts-provisioning';
import { z } from 'zod';
import { operatorLimits } from './limits';
import { nextCursorSchema } from './list-conventions';
import {
  executorViewSchema,
  operationErrorSchema,
  providerCallViewSchema,
  resolutionViewSchema,
} from './operation-view';
import { instantSchema, operationIdSchema, planIdSchema, writtenText } from './vocabulary';

export const migrationStatuses = [
  'pending',
  'capturing',
  'running',
  'completed',
  'refused',
  'reconciliation_required',
] as const;
export const migrationStatusSchema = z.enum(migrationStatuses);
export type MigrationStatus = z.infer<typeof migrationStatusSchema>;

export const migrationItemStatuses = [
  'pending',
  'running',
  'succeeded',
  'failed',
  'skipped',
  'reconciliation_required',
] as const;
export const migrationItemStatusSchema = z.enum(migrationItemStatuses);
export type MigrationItemStatus = z.infer<typeof migrationItemStatusSchema>;

/** Why a workspace needs a person: the dry run names the workspace, and the execution skips it with this reason. */
export const personReasons = [
  'past_due',
  'suspended',
  'subscription_ended',
  'subscription_ending',
  'transition_pending',
  'schedule_exists',
  'no_provider_subscription',
  'provider_subscription_exists',
  'deletion_started',
] as const;
export const personReasonSchema = z.enum(personReasons);
export type PersonReason = z.infer<typeof personReasonSchema>;

/**
 * Further reasons, which appear only while a migration runs. `job_closed`: never tried, because the job was stopped and
 * then closed.
 */
export const skipReasons = [...personReasons, 'subscription_changed', 'workspace_gone', 'job_closed'] as const;
export const skipReasonSchema = z.enum(skipReasons);
export type SkipReason = z.infer<typeof skipReasonSchema>;

export const migrationLimits = {
  /** The most outcomes of one page. */
  outcomes: 100,
  /** The most workspaces of one page of a dry run, because each costs a request to the provider. */
  previews: 50,
  /** The most workspaces that a dry run names per reason; the count is exact. */
  namedPerReason: 20,
  /** The least time between two progress events. */
  progressMs: 1_000,
} as const;

export const migrationIdSchema = operationIdSchema.meta({ example: 'mig-2026-0001' });
export const listDigestSchema = z
  .string()
  .regex(/^[0-9a-f]{64}$/, 'must be the digest of a dry run: 64 hexadecimal digits');

export const migrateRequestSchema = z.strictObject({
  migrationId: migrationIdSchema,
  targetPlanId: planIdSchema,
  reason: writtenText(operatorLimits.reasonCharacters)
    .optional()
    .describe('Why, in the words of the person. The first request of an id says it; a repeat does not change it.')
    .meta({ example: 'The plan is no longer sold' }),
  /** Whether the notice is for all members of a workspace instead of only its owner. */
  notifyMembers: z.boolean().optional(),
  /** Digest of a dry run: the migration is refused when the list has changed since. */
  digest: listDigestSchema.optional(),
});

const countersSchema = z.object({
  pending: z.int(),
  running: z.int(),
  succeeded: z.int(),
  failed: z.int(),
  skipped: z.int(),
  reconciliation_required: z.int(),
});

export const migrationTargetSchema = z.object({
  planId: planIdSchema,
  name: z.string(),
  amountCents: z.int(),
  currency: z.string(),
  priceId: z.string().optional(),
});

export const migrationOutcomeSchema = z
  .object({
    tenantId: z.string(),
    ordinal: z.int(),
    status: migrationItemStatusSchema,
    /** The subscription's revision at capture; the change is made only while it is unchanged. */
    subscriptionRevision: z.string(),
    /** Why the workspace was skipped. */
    reason: skipReasonSchema.optional(),
    error: operationErrorSchema.optional(),
    executor: executorViewSchema.optional(),
    startedAt: instantSchema.optional(),
    finishedAt: instantSchema.optional(),
    providerCalls: z.array(providerCallViewSchema),
    resolution: resolutionViewSchema.optional(),
  })
  .meta({ id: 'MigrationOutcome' });

const requirementSchema = z.object({
  proof: z.enum(['executor_quiescent', 'external_outcome_known']),
  statement: z.string(),
});

export const migrationViewSchema = z
  .object({
    migrationId: migrationIdSchema,
    fromPlanId: planIdSchema,
    targetPlanId: planIdSchema,
    status: migrationStatusSchema,
    notifyMembers: z.boolean(),
    requestedBy: z.object({ id: z.string(), email: z.string().optional() }),
    reason: z
      .string()
      .optional()
      .describe('Why, in the words of the person; absent for migrations from before it was asked for.')
      .meta({ example: 'The plan is no longer sold' }),
    /** Digest of the dry run that the request named. */
    digest: listDigestSchema.optional(),
    /** The captured list and configuration; absent until the capture is complete. */
    snapshot: z
      .object({ count: z.int(), digest: listDigestSchema, capturedAt: instantSchema, target: migrationTargetSchema })
      .optional(),
    counters: countersSchema,
    executor: executorViewSchema.optional(),
    executorState: executorStateSchema.optional(),
    executorKnowledge: executorKnowledgeSchema.optional(),
    /** Why the job stopped or was refused. */
    error: operationErrorSchema.optional(),
    resolution: resolutionViewSchema.partial({ outcome: true, providerObject: true }).optional(),
    /** Both proofs and the workspaces that need them, while any outcome is unknown. */
    reconciliationRequirements: z.object({ items: z.int(), proofs: z.array(requirementSchema) }).optional(),
    revision: z.string(),
    createdAt: instantSchema,
    updatedAt: instantSchema,
    finishedAt: instantSchema.optional(),
  })
  .meta({ id: 'Migration' });
export type MigrationView = z.infer<typeof migrationViewSchema>;

export const migrationListSchema = z
  .object({
    migrations: z.array(migrationViewSchema).describe('Migrations of this page.'),
    nextCursor: nextCursorSchema,
  })
  .meta({ id: 'MigrationList' });
export type MigrationOutcomeView = z.infer<typeof migrationOutcomeSchema>;

/** With a page of the outcomes by workspace, in the order of the list. */
export const migrationPageSchema = z
  .object({
    ...migrationViewSchema.shape,
    outcomes: z.array(migrationOutcomeSchema),
    nextCursor: z.string().optional(),
  })
  .meta({ id: 'MigrationPage' });
export type MigrationPage = z.infer<typeof migrationPageSchema>;

export const dryRunSchema = z
  .object({
    fromPlanId: planIdSchema,
    target: migrationTargetSchema,
    /** The number of workspaces on the source plan now. */
    count: z.int(),
    /** Covers every workspace's id and revision and the target; an execution may name it. */
    digest: listDigestSchema,
    /** Workspaces that the execution would skip, by reason; only the first few are named. */
    needPerson: z.array(z.object({ reason: personReasonSchema, count: z.int(), tenantIds: z.array(z.string()) })),
    /** The workspaces of this page, in the order of the list. */
    workspaces: z.array(
      z.object({
        tenantId: z.string(),
        workspaceName: z.string(),
        revision: z.string(),
        reason: personReasonSchema.optional(),
        /**
         * The provider's preview of the immediate invoice in minor units; null when nothing is invoiced or the provider
         * did not answer.
         */
        delta: z.object({ total: z.int(), amountDue: z.int(), currency: z.string() }).nullable(),
        problem: z.string().optional(),
      }),
    ),
    /** Sums over this page, by currency. */
    pageTotals: z.array(z.object({ currency: z.string(), total: z.int(), workspaces: z.int() })),
    nextCursor: z.string().optional(),
  })
  .meta({ id: 'MigrationDryRun' });
export type MigrationDryRun = z.infer<typeof dryRunSchema>;
