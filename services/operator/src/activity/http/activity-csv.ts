/** Activity as comma-separated values (RFC 4180) for spreadsheets, which would run a cell that begins like a formula. */
import type { ActivityRow } from '@platform/contracts-operator';

const activityCsvColumns = [
  ...['at', 'kind', 'id', 'action', 'status', 'workspace', 'actor_id', 'actor_email'],
  ...['amount_cents', 'currency', 'target', 'reason'],
] as const;

export function activityCsv(rows: readonly ActivityRow[]): string {
  const lines = rows.map(({ at, kind, recordId, action, status, tenantId, actor, amount, target, reason }) =>
    [
      ...[at, kind, recordId, action, status, tenantId, actor?.id, actor?.email],
      ...[amount?.amountCents, amount?.currency, target, reason],
    ].map(cell),
  );
  return [activityCsvColumns, ...lines].map((cells) => `${cells.join(',')}\r\n`).join('');
}

function cell(value: string | number | null | undefined): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return String(value);
  const harmless = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
