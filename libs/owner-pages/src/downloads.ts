/** An owner's downloads: invoices as comma-separated values, and all data of the account as JSON. */
import type { Account } from '@platform/contracts-operator';
import { formatMoney } from '@platform/contracts-operator/actions';

/** A spreadsheet reads a text that begins with one of these as a formula. */
const plain = (text: string): string => (/^[=+\-@\t\r]/.test(text) ? `'${text}` : text);
const quoted = (text: string): string => `"${plain(text).replaceAll('"', '""')}"`;

export function invoicesCsv({ invoices }: Account): string {
  const rows = invoices.state === 'known' ? invoices.value : [];
  return [
    ['invoice', 'date', 'status', 'total', 'currency', 'minor units'],
    ...rows.map(({ invoiceId, createdAt, status, total, currency }) => [
      invoiceId,
      createdAt,
      status,
      formatMoney({ amountCents: total, currency }),
      currency,
      String(total),
    ]),
  ]
    .map((row) => `${row.map(quoted).join(',')}\r\n`)
    .join('');
}
