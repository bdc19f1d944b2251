/** `npm run ops -- audit verify [--expect <trail>=<hash>]…` for the trails in one service's database. Off-line; changes nothing. */
import { parseArgs } from 'node:util';
import { createIds, silentLog, systemClock } from '@platform/kernel';
import { connectStore } from '../adapter/connect';
import type { SchemaStep } from '../schema-steps/run-schema-steps';
import type { Store } from '../port';
import type { TrailReport } from './resolution-trail';

export interface AuditCommand {
  /** Connection string. */
  readonly url: string;
  readonly database: string;
  readonly schemaSteps: readonly SchemaStep[];
  /** What follows the word `audit`. */
  readonly args: readonly string[];
  readonly say: (line: string) => void;
  readonly complain: (line: string) => void;
  /** By the name that `--expect` and the report give it. */
  readonly trails: Readonly<
    Partial<Record<AuditedTrail, (store: Store, expectedHash: string | undefined) => Promise<TrailReport>>>
  >;
}

const audited = ['operator', 'migrations', 'migration-items', 'billing-webhook', 'provisioning'] as const;
export type AuditedTrail = (typeof audited)[number];
const expectation = new RegExp(`^(?:(${audited.join('|')})=)?([0-9a-f]{64})$`);

export const auditUsage = `npm run ops -- audit verify [--expect <trail>=<hash>]…

  Reads each chain of audit blocks and every record that it names. Ends with 0 when nothing was changed,
  dropped or slipped in; else with 1 and a line per fault. --expect: a head that was noted earlier must still stand in
  that chain (${audited.join(', ')}); a hash alone is the operator's.`;

/** Answers the exit code. Throws what the store throws. */
export async function runAuditCommand({
  url,
  database,
  schemaSteps,
  args,
  say,
  complain,
  trails,
}: AuditCommand): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { expect: { type: 'string', multiple: true, default: [] } },
    allowPositionals: true,
    strict: true,
  });
  const expected = values.expect.map((text) => expectation.exec(text));
  if (positionals.join(' ') !== 'verify' || expected.includes(null)) {
    complain(auditUsage);
    return 1;
  }
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
      const head = expected.filter((each) => each !== null).find(([, named = 'operator']) => named === name)?.[2];
      const report = await verify(store, head);
      faults += report.faults.length;
      tell(say, name, report);
    }
  } finally {
    await store.close();
  }
  return faults === 0 ? 0 : 1;
}

function tell(say: AuditCommand['say'], name: string, { blocks, rows, head, faults }: TrailReport): void {
  say(`${name}: ${blocks} blocks with ${rows} rows; head ${head ?? 'none yet'}`);
  for (const fault of faults) say(`FAULT ${fault}`);
  say(
    faults.length === 0
      ? `The audit trail of ${name} is whole.`
      : `The audit trail of ${name} has ${faults.length} faults.`,
  );
}
