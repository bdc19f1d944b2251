/** Activity as comma-separated values. */
import { csvLine } from '@platform/kernel';
import type { ActivityRow } from '@platform/contracts-operator';

const activityCsvColumns = [
  ...['at', 'kind', 'id', 'action', 'status', 'workspace', 'actor_id', 'actor_email'],
  ...['amount_cents', 'currency', 'target', 'reason'],
] as const;

export function activityCsv(rows: readonly ActivityRow[]): string {
  const lines = rows.map(({ at, kind, recordId, action, status, tenantId, actor, amount, target, reason }) =>
    csvLine([
      ...[at, kind, recordId, action, status, tenantId, actor?.id, actor?.email],
      ...[amount?.amountCents, amount?.currency, target, reason],
    ]),
  );
  return [csvLine(activityCsvColumns), ...lines].join('');
}
