/** The finance report of a period: the signed file, and the part that a page shows. */
import { z } from 'zod';
import { moneySchema } from './work-queue-view';

/** The limits of one download; the off-line command has none. */
export const financeLimits = { days: 31, rows: 5_000 } as const;

export const financeReportSchema = z
  .object({
    report: z.string().describe('The whole file, as text/csv.'),
    rows: z.int().describe('Effects and outcomes that are not known.'),
    totals: z
      .array(
        z.object({
          kind: z
            .enum(['credit', 'charge', 'not_known'])
            .describe('`not_known`: the outcome is not known yet, so it is in no other total.'),
          count: z.int(),
          money: moneySchema,
        }),
      )
      .describe('Per kind and currency.'),
    keyId: z.string().describe('Of the key that signed it.'),
    publicKey: z.string().describe('Of that key: 32 bytes in base64url. Compare it with the one that you were given.'),
  })
  .meta({ id: 'FinanceReport' });
export type FinanceReport = z.infer<typeof financeReportSchema>;
