/** The finance report of a period as a download. Read-only. */
import { financeLimits, financeReportSchema, instantSchema } from '@platform/contracts-operator';
import { defineRoute, problem, reply, type Route } from '@platform/http-server';
import type { SigningKey } from '@platform/kernel';
import { z } from 'zod';
import { financeReport, totalsOf, type FinancePeriod } from '../domain/finance-report';
import { collectFinance, type FinancePorts } from '../workflows/collect-finance';

const dayMs = 86_400_000;

const querySchema = z
  .strictObject({
    from: instantSchema.describe('The first instant of the period.'),
    to: instantSchema.describe('The first instant after it.'),
  })
  .refine(({ from, to }) => Date.parse(from) < Date.parse(to), { path: ['to'], message: 'must be after from' })
  .refine(({ from, to }) => Date.parse(to) - Date.parse(from) <= financeLimits.days * dayMs, {
    path: ['to'],
    message: `must be at most ${financeLimits.days} days after from`,
  });

export interface FinanceRoutePorts extends FinancePorts {
  /** Absent: this deployment signs nothing. */
  readonly key: SigningKey | undefined;
}

const nameOf = ({ from, to }: FinancePeriod): string =>
  `finance-${from.toISOString().slice(0, 10)}-${to.toISOString().slice(0, 10)}.csv`;

export function financeRoutes(ports: FinanceRoutePorts): Route[] {
  return [
    defineRoute({
      name: 'readFinanceReport',
      method: 'GET',
      path: '/api/saas/finance-report',
      policy: 'finance',
      tags: ['finance'],
      summary: 'What the platform moved in a period, signed',
      description: `Comma-separated values (RFC 4180): a row per credit and charge that an operation or a plan migration made, with its person, reason, the provider's ids, the amount in minor units and as it is shown elsewhere; rows of kind \`not_known\` for outcomes that are not known; totals per currency. Charges are as invoiced: what was refunded, credited by a note or disputed at the provider is not in it, and the file says so. The last line is an Ed25519 signature over all bytes before it; \`npm run ops -- verify-report <file>\` verifies it with the public key. At most ${financeLimits.days} days and ${financeLimits.rows} rows; \`npm run ops -- finance-report\` has no such bound.`,
      query: querySchema,
      headers: z.object({ accept: z.string().max(500).optional().describe('`text/csv` for the file itself.') }),
      responses: { 200: financeReportSchema },
      alsoProduces: { 'text/csv': 'The report.' },
      errors: ['store_unavailable', 'peer_unavailable', 'export_not_configured'],
      handle: async ({ query, headers }) => {
        if (!ports.key) return problem('export_not_configured');
        const period = { from: new Date(query.from), to: new Date(query.to) };
        const rows = await collectFinance(ports, period, financeLimits.rows);
        if (!rows.ok)
          return rows.error.why === 'too_many_rows'
            ? problem('invalid_request', { errors: [{ pointer: '/query/to', message: rows.error.text }] })
            : problem('peer_unavailable', { detail: rows.error.text, retryAfterSeconds: 5 });
        const report = financeReport(rows.value, period, ports.key);
        if (/\btext\/csv\b/i.test(headers.accept ?? ''))
          return {
            kind: 'text',
            contentType: 'text/csv; charset=utf-8; header=present',
            text: report,
            headers: { 'content-disposition': `attachment; filename="${nameOf(period)}"` },
          };
        const { keyId, publicKey } = ports.key;
        return reply(200, { report, rows: rows.value.length, totals: totalsOf(rows.value), keyId, publicKey });
      },
    }),
  ];
}
