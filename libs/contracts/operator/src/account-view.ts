/** A workspace as its owner sees it: its plan and price, its requests, and the invoices. */
import { z } from 'zod';
import { adminStateSchema } from './admin-state-view';
import {
  billedEverySchema,
  operationStatusSchema,
  operationActionSchema,
  instantSchema,
  planIdSchema,
} from './vocabulary';

const saleSchema = z.object({
  planId: planIdSchema,
  name: z.string().describe('As people know the plan.'),
  amountCents: z.int().describe('Of one billing period, in minor units of the currency.'),
  currency: z.string(),
  billedEvery: billedEverySchema.optional(),
});

export const accountInvoiceSchema = z.object({
  invoiceId: z.string().describe('Invoice at the payment provider.'),
  status: z.string().describe("The provider's word: draft, open, paid, void or uncollectible."),
  total: z.int().describe('Minor units of the currency.'),
  currency: z.string(),
  createdAt: instantSchema.describe('When the provider made it.'),
  pageUrl: z.url().optional().describe("The provider's page of the invoice, where it is paid and downloaded."),
});

export const accountSchema = z
  .object({
    state: adminStateSchema.describe('Subscription, access, pending change and end.'),
    plan: saleSchema
      .optional()
      .describe('The plan of the subscription; absent when no plan of the catalog has its price.'),
    onSale: z
      .array(saleSchema)
      .describe(
        'Plans that can be bought now: those in the currency of the plan first, and the cheapest over time first.',
      ),
    actions: z
      .array(
        z.object({
          action: operationActionSchema.describe('What the owner may start.'),
          refusal: z
            .object({ code: z.string().describe('As the action would answer.'), message: z.string() })
            .optional()
            .describe('Why it cannot succeed now, whatever its values; absent when it can.'),
        }),
      )
      .describe('What can be done now; a preview says more.'),
    operations: z
      .array(
        z.object({
          operationId: z.string(),
          action: operationActionSchema.describe('What was asked for.'),
          status: operationStatusSchema,
          at: instantSchema.describe('When it was asked for.'),
          by: z.string().describe('Who asked.'),
        }),
      )
      .describe('What owners of the workspace asked for, newest first, at most 50.'),
    invoices: z
      .discriminatedUnion('state', [
        z.object({
          state: z.literal('known').describe('The provider answered.'),
          value: z.array(accountInvoiceSchema),
          lacksEarlier: z
            .literal(true)
            .optional()
            .describe('Invoices from before the workspace had its present customer at the provider could not be read.'),
        }),
        z.object({ state: z.literal('none').describe('The workspace was never paid for.') }),
        z.object({ state: z.literal('unavailable').describe('The provider did not answer now.') }),
      ])
      .describe('Newest first.'),
    asOf: instantSchema.describe('When all of this was read.'),
  })
  .meta({ id: 'Account' });
export type Account = z.infer<typeof accountSchema>;
export type AccountSale = Account['onSale'][number];
