/** `npm run ops -- audit verify [--expect <trail>=<hash>]…` for the trails in one service's database. Off-line; changes nothing. */
import { Misuse } from '@platform/command-line';
import { createIds, silentLog, systemClock } from '@platform/kernel';
import { connectStore, type SchemaStep, type Store } from '@platform/mongo';
import type { TrailReport } from './trail';

export interface AuditCommand {
  /** Connection string. */
  readonly url: string;
  readonly database: string;
  readonly schemaSteps: readonly SchemaStep[];
  /** Heads that were noted earlier, `<trail>=<hash>`; a hash without a name is the operator's. */
  readonly expect: readonly string[];
  readonly print: (line: string) => void;
  /** By the name that `--expect` and the report use. */
  readonly trails: Readonly<
    Partial<Record<AuditedTrail, (store: Store, expectedHash: string | undefined) => Promise<TrailReport>>>
  >;
}

const audited = [
  'operator',
  'migrations',
  'migration-items',
  'billing-webhook',
  'provisioning',
  'provisioning-events',
  'lifecycle-delivery',
  'operator-instances',
  'provisioning-instances',
] as const;
type AuditedTrail = (typeof audited)[number];
const expectation = new RegExp(`^(?:(${audited.join('|')})=)?([0-9a-f]{64})$`);

/**
 * Reads each chain of audit blocks and every record that it names. Returns the exit code: 0 when no block and no record
 * was changed, removed or inserted; otherwise 1, with a line per fault. Throws what the store throws, and `Misuse` for
 * an expectation that names no trail.
 */
export async function runAuditCommand({
  url,
  database,
  schemaSteps,
  expect,
  print,
  trails,
}: AuditCommand): Promise<number> {
  const expected = expect.map((text) => {
    const [, named = 'operator', hash] = expectation.exec(text) ?? [];
    if (hash === undefined)
      throw new Misuse(`--expect is <trail>=<hash> with one of ${audited.join(', ')}, not ${text}`);
    return { named, hash };
  });
  const store = await connectStore({
    url,
    database,
    schemaSteps,
    clock: systemClock,
    ids: createIds(systemClock),
    log: silentLog,
    appName: 'audit',
  });
  let faults = 0;
  try {
    for (const [name, verify] of Object.entries(trails)) {
      const head = expected.find(({ named }) => named === name)?.hash;
      const report = await verify(store, head);
      faults += report.faults.length;
      printReport(print, name, report);
    }
  } finally {
    await store.close();
  }
  return faults === 0 ? 0 : 1;
}

function printReport(print: AuditCommand['print'], name: string, { blocks, rows, head, faults }: TrailReport): void {
  print(`${name}: ${blocks} blocks with ${rows} rows; head ${head ?? 'none yet'}`);
  for (const fault of faults) print(`FAULT ${fault}`);
  print(
    faults.length === 0
      ? `The audit trail of ${name} is whole.`
      : `The audit trail of ${name} has ${faults.length} faults.`,
  );
}
