/**
 * `npm run ops -- finance-report`, `verify-report` and `signing-key`: the money that was moved, signed so that others
 * can verify it.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve as resolvePath } from 'node:path';
import { exitCodes, Misuse } from '@platform/command-line';
import { signingKey, verifyingKey, type OfflineWork, type Terminal } from '@platform/durable/investigation';
import { counted } from '@platform/kernel';
import { subscriptionsOf } from '../access/workflows/announce-access';
import { financeReport, verifyFinanceReport } from '../finance/domain/finance-report';
import { collectFinance } from '../finance/workflows/collect-finance';
import { planMigrationItemsCollection } from '../migrations/store/plan-migration-items';
import { planMigrationsCollection } from '../migrations/store/plan-migrations';
import { operationsCollection } from '../operations/store/operations';
import { instantOption } from './option-values';

export type FinanceCommand =
  | { readonly kind: 'report'; readonly from: Date; readonly to: Date; readonly out?: string }
  | { readonly kind: 'verify'; readonly file: string }
  | { readonly kind: 'key' };

interface Values {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly out?: string | undefined;
}

/** Throws `Misuse`. */
export function financeCommandOf(name: string, file: string, { from, to, out }: Values): FinanceCommand {
  if (name === 'verify-report') return { kind: 'verify', file };
  if (name === 'signing-key') return { kind: 'key' };
  const period = { from: instantOption('from', from), to: instantOption('to', to) };
  if (period.from >= period.to) throw new Misuse('--to lies after --from');
  return { kind: 'report', ...period, ...(out !== undefined && { out }) };
}

const here = (file: string): string => resolvePath(process.env['INIT_CWD'] ?? '.', file);

/** Returns the exit code. Throws `Misuse`, and what the store throws. */
export async function runFinanceReport(
  { from, to, out }: Extract<FinanceCommand, { kind: 'report' }>,
  { store, clock, provider, terminal: { print, complain } }: OfflineWork,
): Promise<number> {
  const key = signingKey();
  if (!key) throw new Misuse('a report is signed: set CASE_SIGNING_KEY, the secret of the gateway');
  const ports = {
    operations: store.collection(operationsCollection),
    migrations: store.collection(planMigrationsCollection),
    items: store.collection(planMigrationItemsCollection),
    subscriptions: subscriptionsOf(store, clock),
    provider,
  };
  const rows = await collectFinance(ports, { from, to });
  if (!rows.ok) return complain(rows.error.text);
  const report = financeReport(rows.value, { from, to }, key);
  if (out === undefined) {
    process.stdout.write(report);
    return exitCodes.done;
  }
  try {
    writeFileSync(here(out), report);
  } catch (error) {
    return complain(`The report cannot be written: ${(error as Error).message}`);
  }
  print(`${out}: ${counted(rows.value.length, 'row')}, signed with key ${key.keyId} (public key ${key.publicKey}).`);
  return exitCodes.done;
}

/** Needs no database. Returns the exit code: 3 for a file that differs from what was signed. Throws `Misuse`. */
export function runSignedCommand(
  asked: Extract<FinanceCommand, { kind: 'verify' | 'key' }>,
  { print, complain }: Pick<Terminal, 'print' | 'complain'>,
): number {
  const key = verifyingKey();
  if (asked.kind === 'key') {
    print(key.publicKey);
    return exitCodes.done;
  }
  let text: string;
  try {
    text = readFileSync(here(asked.file), 'utf8');
  } catch (error) {
    return complain(`The file cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
  const verified = verifyFinanceReport(text, key);
  if (!verified.ok) {
    complain(verified.error);
    return exitCodes.negative;
  }
  const { from, to, rows, keyId } = verified.value;
  print(`Untouched. ${counted(rows, 'row')} from ${from} to ${to}, signed with key ${keyId}.`);
  return exitCodes.done;
}
