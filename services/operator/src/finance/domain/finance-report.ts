/**
 * What the platform moved in a period, as comma-separated values: a row per effect with its operation and the provider's
 * ids, totals per currency, and a signature in the last line. Pure; equal rows make equal bytes.
 */
import { formatMoney, type Money, type OperationAction } from '@platform/contracts-operator';
import { csvLine, ok, refused, sha256, type Result, type SigningKey, type VerifyingKey } from '@platform/kernel';

/** `not_known`: the outcome is not known yet, so the amount is in no total. */
export type FinanceKind = 'credit' | 'charge' | 'not_known';

export interface FinanceRow {
  readonly at: Date;
  readonly kind: FinanceKind;
  readonly tenantId: string;
  readonly operationId: string;
  readonly action: OperationAction | 'plan_migration';
  readonly status: string;
  /** The person who requested the operation. */
  readonly actor: string;
  readonly reason?: string;
  readonly customerId?: string;
  readonly providerObject?: string;
  readonly requestId?: string;
  /** Minor units; null where the provider made no invoice. */
  readonly money: Money | null;
  /** Which system the amount was read from. */
  readonly source: 'journal' | 'provider';
}

export interface FinancePeriod {
  readonly from: Date;
  /** Exclusive. */
  readonly to: Date;
}

const format = 'workspace-platform-finance-report.v1';

const asInvoiced =
  'Charges are as invoiced. What was refunded, credited by a note or disputed at the payment provider is not in it.';

const columns = [
  ...['line', 'at', 'kind', 'workspace', 'customer', 'operation', 'action', 'status', 'actor', 'reason'],
  ...['provider_object', 'provider_request', 'currency', 'amount_minor', 'amount', 'amount_from'],
] as const;

function sortRows(rows: readonly FinanceRow[]): FinanceRow[] {
  const key = ({ at, operationId, providerObject = '' }: FinanceRow) =>
    `${at.toISOString()} ${operationId} ${providerObject}`;
  return [...rows].sort((one, other) => (key(one) < key(other) ? -1 : 1));
}

function lineOf(row: FinanceRow, index: number): string {
  const { at, kind, tenantId, customerId, operationId, action, status, actor, reason, money, source } = row;
  return csvLine([
    ...[index + 1, at.toISOString(), kind, tenantId, customerId, operationId, action, status, actor, reason],
    ...[row.providerObject, row.requestId, money?.currency.toUpperCase(), money?.amountCents],
    ...[money ? formatMoney(money) : '', source],
  ]);
}

/** Sums per kind and currency, in the order of their names. */
export function totalsOf(
  rows: readonly FinanceRow[],
): { readonly kind: FinanceKind; readonly count: number; readonly money: Money }[] {
  const sums = new Map<string, { kind: FinanceKind; count: number; money: Money }>();
  for (const { kind, money } of rows) {
    if (!money) continue;
    const key = `${kind} ${money.currency}`;
    const before = sums.get(key);
    const amountCents = (before?.money.amountCents ?? 0) + money.amountCents;
    sums.set(key, { kind, count: (before?.count ?? 0) + 1, money: { amountCents, currency: money.currency } });
  }
  return [...sums.entries()].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, sum]) => sum);
}

/** The whole file. */
export function financeReport(rows: readonly FinanceRow[], { from, to }: FinancePeriod, key: SigningKey): string {
  const blank = (count: number): string[] => Array<string>(count).fill('');
  const body = [
    csvLine(columns),
    ...sortRows(rows).map(lineOf),
    ...totalsOf(rows).map(({ kind, count, money }) =>
      csvLine([
        ...['total', '', kind, ...blank(4), `${count} ${count === 1 ? 'row' : 'rows'}`, ...blank(4)],
        ...[money.currency.toUpperCase(), money.amountCents, formatMoney(money), ''],
      ]),
    ),
    csvLine(['note', asInvoiced]),
    csvLine(['period', from.toISOString(), to.toISOString(), `${rows.length} rows`]),
  ].join('');
  const { algorithm, keyId, value } = key.sign(statementOf(body));
  return body + csvLine(['signature', algorithm, keyId, value]);
}

/**
 * The signed bytes: the format, so that no other document counts as a report, and the digest of all preceding bytes.
 */
const statementOf = (body: string) => ({ format, sha256: sha256(body) });

export interface VerifiedReport {
  readonly keyId: string;
  readonly from: string;
  readonly to: string;
  readonly rows: number;
}

/** Key, period and number of rows of an unchanged report, or what is wrong with the file. */
export function verifyFinanceReport(text: string, key: VerifyingKey): Result<VerifiedReport, string> {
  // A value that begins with a minus carries the quote that keeps a spreadsheet from evaluating it.
  const signed = /^([\s\S]*\r\n)signature,(Ed25519),([0-9a-f]{16}),(?:'(?=-))?([\w-]+)\r\n$/.exec(text);
  const body = signed?.[1];
  if (!signed || body === undefined)
    return refused('The file is not a finance report: its last line is not a signature.');
  const [, , , keyId = '', value = ''] = signed;
  if (keyId !== key.keyId)
    return refused(`The report was signed with another key (${keyId}); this one is ${key.keyId}.`);
  if (!key.verifies(statementOf(body), { algorithm: 'Ed25519', keyId, value }))
    return refused('The signature does not fit: the report was changed after it was signed.');
  const [, from = '', to = '', rows = ''] = /\r\nperiod,([^,]+),([^,]+),(\d+) rows\r\n$/.exec(body) ?? [];
  return ok({ keyId, from, to, rows: Number(rows) });
}
