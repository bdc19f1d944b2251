/** The directory of workspaces: one row each, and the data of one workspace from every service that has some. */
import { creationOutcomeSchema } from '@platform/contracts-provisioning';
import { deliveryViewSchema } from '@platform/contracts-lifecycle-delivery';
import { z } from 'zod';
import { adminStateSchema } from './admin-state-view';
import { closedReasons } from './closed-reasons';
import { listFormatSchema, listQueryMembers, nextCursorSchema } from './list-conventions';
import { operationViewSchema } from './operation-view';
import {
  instantSchema,
  operationActionSchema,
  planIdSchema,
  subscriptionStatusSchema,
  tenantIdSchema,
  transitionKindSchema,
} from './vocabulary';

export const directoryQuerySchema = z.strictObject({
  query: z
    .string()
    .trim()
    .min(1)
    .max(200)
    .optional()
    .describe(
      "Beginnings of words of the name, the owner's e-mail address, the workspace's id or the provider's ids; all must occur. Where nothing begins so, words of four letters and more may have one mistake.",
    ),
  status: subscriptionStatusSchema.optional().describe('Only workspaces whose subscription has this status.'),
  plan: planIdSchema.optional().describe('Only workspaces on this plan.'),
  format: listFormatSchema,
  ...listQueryMembers,
});
export type DirectoryQuery = z.output<typeof directoryQuerySchema>;

export const workspaceRowSchema = z
  .object({
    tenantId: tenantIdSchema.describe("The workspace's id."),
    workspaceName: z.string().describe('As its owner named it.'),
    owner: z
      .object({
        userId: z.string().describe('Of the person who asked for the workspace.'),
        email: z.string().optional().describe('As the token of that person said then.'),
      })
      .optional()
      .describe('Absent for workspaces from before it was recorded.'),
    planId: z.string().describe('The plan of the subscription.'),
    status: subscriptionStatusSchema.describe('Of the subscription, as mirrored from the payment provider.'),
    access: z
      .object({
        state: z.enum(['open', 'closed']).describe('As every guard of the product decides.'),
        reason: z.enum(closedReasons).optional().describe('Why it is closed.'),
      })
      .describe('Whether the product may be used in the workspace.'),
    pending: z
      .object({
        kind: transitionKindSchema.describe('What is under way.'),
        operationId: z.string().describe("An operation's id, or `<migrationId>:<tenantId>` of a plan migration."),
      })
      .optional()
      .describe('The change that holds the subscription now.'),
    provider: z
      .object({
        customerId: z.string().optional().describe('Customer at the payment provider.'),
        subscriptionId: z.string().optional().describe('Subscription at the payment provider.'),
      })
      .describe('Identities at the payment provider; none for a workspace that was never paid for.'),
    createdAt: instantSchema.describe('When the gateway learnt of the committed workspace; orders the list.'),
    updatedAt: instantSchema.describe('When its record was written last.'),
  })
  .meta({ id: 'WorkspaceRow' });
export type WorkspaceRow = z.infer<typeof workspaceRowSchema>;

export const workspacePageSchema = z
  .object({
    workspaces: z.array(workspaceRowSchema).describe('Rows of this page.'),
    found: z
      .enum(['all', 'beginning', 'near'])
      .describe('`near`: nothing begins like the query; these differ from it by one letter in a word.'),
    nextCursor: nextCursorSchema,
  })
  .meta({ id: 'WorkspacePage' });
export type WorkspacePage = z.infer<typeof workspacePageSchema>;

/** A part that another service supplies; a missing answer is shown as missing. */
function answeredPart<T extends z.ZodType>(value: T, what: string) {
  return z
    .discriminatedUnion('state', [
      z.object({ state: z.literal('known').describe('The service answered.'), value }),
      z.object({ state: z.literal('none').describe('The service answered that there is none.') }),
      z.object({
        state: z.literal('unavailable').describe('The service did not answer now.'),
        problem: z.string().describe('What was tried.'),
      }),
    ])
    .describe(what);
}

export const workspaceInvoiceSchema = z.object({
  invoiceId: z.string().describe('Invoice at the payment provider.'),
  status: z.string().describe("The provider's word: draft, open, paid, void or uncollectible."),
  total: z.int().describe('Minor units of the currency.'),
  currency: z.string().optional().describe("ISO 4217, lower case, of the workspace's plan; absent when that is gone."),
});

export const workspaceDetailSchema = z
  .object({
    workspace: workspaceRowSchema.describe('The row of the directory.'),
    state: adminStateSchema.describe('Subscription, access with its reason, pending change and deletion.'),
    operations: z.array(operationViewSchema).describe('The latest ten, newest first.'),
    actions: z
      .array(
        z.object({
          action: operationActionSchema.describe('An action of platform owners.'),
          refusal: z
            .object({
              code: z.string().describe('As the action would answer.'),
              message: z.string().describe('For people.'),
            })
            .optional()
            .describe('Why it cannot succeed now, whatever its values; absent when it can.'),
        }),
      )
      .describe('What can be done with the workspace as it is; a preview says more.'),
    creation: answeredPart(creationOutcomeSchema, 'How the workspace was made; asked of provisioning.'),
    deliveries: answeredPart(
      z.array(deliveryViewSchema).describe('Newest operation first.'),
      'Messages to consumer services for the operations above and for the creation; asked of lifecycle-delivery.',
    ),
    invoice: answeredPart(workspaceInvoiceSchema, 'The first invoice of the creation; asked of the payment provider.'),
    provider: z
      .object({
        mode: z.enum(['live', 'test', 'none']).describe("`none`: this platform's provider has no dashboard."),
        customerUrl: z.url().optional().describe("The customer in the provider's dashboard."),
        subscriptionUrl: z.url().optional().describe("The subscription in the provider's dashboard."),
        invoiceUrl: z.url().optional().describe("The invoice in the provider's dashboard."),
      })
      .describe("Links into the payment provider's dashboard."),
    asOf: instantSchema.describe('When all of this was read.'),
  })
  .meta({ id: 'WorkspaceDetail' });
export type WorkspaceDetail = z.infer<typeof workspaceDetailSchema>;
