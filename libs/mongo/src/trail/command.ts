/** `npm run ops -- audit verify [--expect <service>=<hash>]…` for one service's trail. Off-line; changes nothing. */
import { parseArgs } from 'node:util';
import { createIds, silentLog, systemClock } from '@platform/kernel';
import { connectStore } from '../adapter/connect';
import type { Migration } from '../migrate/migrate';
import type { Store } from '../port';
import type { TrailReport } from './resolution-trail';

export interface AuditCommand {
  readonly service: string;
  /** Connection string. */
  readonly url: string;
  readonly database: string;
  readonly migrations: readonly Migration[];
  /** What follows the word `audit`. */
  readonly args: readonly string[];
  readonly say: (line: string) => void;
  readonly complain: (line: string) => void;
  verify(store: Store, expectedHash: string | undefined): Promise<TrailReport>;
}

const audited = ['operator', 'billing-webhook', 'provisioning'] as const;
const expectation = new RegExp(`^(?:(${audited.join('|')})=)?([0-9a-f]{64})$`);

export const auditUsage = `npm run ops -- audit verify [--expect <service>=<hash>]…

  Reads each service's chain of audit blocks and every record that it names. Ends with 0 when nothing was changed,
  dropped or slipped in; else with 1 and a line per fault. --expect: a head that was noted earlier must still stand in
  that service's chain (${audited.join(', ')}); a hash alone is the operator's.`;

/** Answers the exit code. Throws what the store throws. */
export async function runAuditCommand({ service, url, database, migrations, args, say, complain, verify }: AuditCommand): Promise<number> {
  const { values, positionals } = parseArgs({ args: [...args], options: { expect: { type: 'string', multiple: true, default: [] } }, allowPositionals: true, strict: true });
  const expected = values.expect.map((text) => expectation.exec(text));
  if (positionals.join(' ') !== 'verify' || expected.includes(null)) {
    complain(auditUsage);
    return 1;
  }
  const own = expected.filter((each) => each !== null).find(([, named = 'operator']) => named === service)?.[2];
  const store = await connectStore({ url, database, migrations, clock: systemClock, ids: createIds(systemClock), log: silentLog, appName: 'audit' });
  const report = await verify(store, own).finally(() => store.close());
  say(`${service}: ${report.blocks} blocks with ${report.rows} rows; head ${report.head ?? 'none yet'}`);
  for (const fault of report.faults) say(`FAULT ${fault}`);
  say(report.faults.length === 0 ? `The audit trail of ${service} is whole.` : `The audit trail of ${service} has ${report.faults.length} faults.`);
  return report.faults.length === 0 ? 0 : 1;
}
