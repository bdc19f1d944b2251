/** An owner's invoices as comma-separated values. */
import type { Account } from '@platform/contracts-operator';
import { formatMoney } from '@platform/contracts-operator/actions';
import { csvLine } from '@platform/kernel/csv';

export function invoicesCsv({ invoices }: Account): string {
  const rows = invoices.state === 'known' ? invoices.value : [];
  return [
    csvLine(['invoice', 'date', 'status', 'total', 'currency', 'minor units']),
    ...rows.map(({ invoiceId, createdAt, status, total, currency }) =>
      csvLine([invoiceId, createdAt, status, formatMoney({ amountCents: total, currency }), currency, total]),
    ),
  ].join('');
}
