/** The activity of the platform: requests, decisions and announcements, one row per record, in the order of time. */
import { z } from 'zod';
import { listFormatSchema, listQueryMembers, nextCursorSchema } from './list-conventions';
import { instantSchema, tenantIdSchema } from './vocabulary';
import { moneySchema } from './work-queue-view';

/**
 * `operation`: an action on a workspace. `resolution`: the recorded end of an investigation. `migration`: a bulk change
 * of plans. `migration_item`: the migration of one workspace, shown only with that workspace. `provider_event`: an
 * event of the payment provider. `creation`: a workspace that was committed. `consumer_action`: a person's action on a
 * consumer service.
 */
export const activityKinds = [
  'operation',
  'resolution',
  'migration',
  'migration_item',
  'provider_event',
  'creation',
  'consumer_action',
] as const;
export const activityKindSchema = z.enum(activityKinds);
export type ActivityKind = z.infer<typeof activityKindSchema>;

/** Values of `action` besides the actions of operations and the provider's event types. */
export const activityActions = {
  resolution: 'resolve',
  migration: 'migrate_plan',
  migration_item: 'migrate_workspace',
  creation: 'create_workspace',
} as const;

/** Values of `action` for people's actions on a consumer service. */
export const consumerActivityActions = {
  pause: 'pause_consumer',
  resume: 'resume_consumer',
  test: 'test_consumer',
  replay: 'replay_to_consumer',
  cancel_replay: 'cancel_replay_to_consumer',
  register_endpoint: 'register_consumer_endpoint',
  remove_endpoint: 'remove_consumer_endpoint',
} as const;

export const activityQuerySchema = z.strictObject({
  workspace: tenantIdSchema.optional().describe('Only what concerns this workspace.'),
  actor: z
    .string()
    .trim()
    .min(1)
    .max(320)
    .optional()
    .describe('Only what this person asked for: an e-mail address or id.'),
  action: z
    .string()
    .regex(/^[a-z][a-z0-9_.]{0,99}$/, 'must be 1 to 100 of a-z, 0-9, _ and dot, beginning with a letter')
    .optional()
    .describe(
      "An operation's action, `resolve`, `migrate_plan`, `migrate_workspace`, `create_workspace`, `pause_consumer`, `resume_consumer`, `test_consumer`, `replay_to_consumer`, `cancel_replay_to_consumer`, `register_consumer_endpoint`, `remove_consumer_endpoint`, or a type of the provider's events.",
    ),
  kind: activityKindSchema.optional().describe('Only rows of this kind.'),
  status: z
    .string()
    .regex(/^[a-z_]{1,40}$/, 'must be 1 to 40 of a-z and _')
    .optional()
    .describe('Only rows whose record has this status now.'),
  from: instantSchema.optional().describe('Only rows of this instant and later.'),
  to: instantSchema.optional().describe('Only rows before this instant.'),
  amountFrom: z.coerce.number().int().min(0).optional().describe('Only credits of at least so many minor units.'),
  amountTo: z.coerce.number().int().min(0).optional().describe('Only credits of at most so many minor units.'),
  format: listFormatSchema,
  ...listQueryMembers,
});
export type ActivityQuery = z.output<typeof activityQuerySchema>;

export const activityRowSchema = z
  .object({
    id: z.string().describe('`<kind>:<id of the record>`, unique and stable.'),
    at: instantSchema.describe('When the record was created; of a resolution, when it was recorded.'),
    kind: activityKindSchema.describe('What kind of record it is.'),
    recordId: z.string().describe("The record's id, as the other addresses take it."),
    action: z.string().describe("The operation's action, the event's type, or one of the words of the other kinds."),
    status: z.string().describe("The record's status now, or the outcome of a resolution."),
    tenantId: z.string().nullable().describe('The workspace that it concerns; null for several or none.'),
    actor: z
      .object({
        id: z.string().describe("Subject of the person's token, or the name that was given off-line."),
        email: z.string().optional().describe('As the token said.'),
      })
      .nullable()
      .describe('Who asked; null for the payment provider and for parts of a migration.'),
    reason: z.string().optional().describe('Why, in the words of the person, or what stopped or failed it.'),
    amount: moneySchema.optional().describe('Of a credit.'),
    target: z
      .string()
      .optional()
      .describe('The plan that it leads to, the record that a resolution ended, or the consumer.'),
  })
  .meta({ id: 'ActivityRow' });
export type ActivityRow = z.infer<typeof activityRowSchema>;

export const activityPageSchema = z
  .object({
    activity: z.array(activityRowSchema).describe('Rows of this page.'),
    unavailable: z
      .array(
        z.object({
          service: z.string().describe('Name of the service.'),
          problem: z.string().describe('Why its rows are missing.'),
        }),
      )
      .optional()
      .describe('Services that did not answer, whose rows are missing from this page; absent when all did.'),
    nextCursor: nextCursorSchema,
  })
  .meta({ id: 'ActivityPage' });
export type ActivityPage = z.infer<typeof activityPageSchema>;
