/** `npm run ops -- audit verify [--expect <hash>]`: is the trail of who asked for what whole? Off-line; changes nothing. */
import { parseArgs } from 'node:util';
import { createIds, silentLog, systemClock } from '@platform/kernel';
import { connectStore } from '@platform/mongo';
import { auditBlocksCollection } from '../store/audit-blocks';
import { operationsCollection } from '../store/operations';
import { verifyAudit } from '../workflows/verify-audit';

const usage = `npm run ops -- audit verify [--expect <hash>]

  Reads the chain of audit blocks and every operation that it names. Ends with 0 when nothing was changed, dropped or
  slipped in; else with 1 and a line per fault. --expect: a head that was noted earlier must still stand in the chain.`;

function complain(text: string): number {
  process.stderr.write(`${text}\n`);
  return 1;
}

/** Answers the exit code. Throws what the store throws. */
export async function runAudit(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({ args: [...args], options: { expect: { type: 'string' } }, allowPositionals: true, strict: true });
  if (positionals.join(' ') !== 'verify') return complain(usage);
  if (values.expect !== undefined && !/^[0-9a-f]{64}$/.test(values.expect)) return complain('--expect: a hash of 64 hexadecimal digits');
  const url = process.env['MONGODB_URL'] ?? `mongodb://127.0.0.1:${Number(process.env['PORT_BASE'] ?? 7000) + 17}`;
  const store = await connectStore({ url, database: process.env['MONGODB_DATABASE'] ?? 'operator', clock: systemClock, ids: createIds(systemClock), log: silentLog, appName: 'audit' });
  try {
    const report = await verifyAudit({ operations: store.collection(operationsCollection), blocks: store.collection(auditBlocksCollection) }, values.expect);
    process.stdout.write(`${report.blocks} blocks with ${report.rows} rows; head ${report.head ?? 'none yet'}\n`);
    for (const fault of report.faults) process.stdout.write(`FAULT ${fault}\n`);
    process.stdout.write(report.faults.length === 0 ? 'The audit trail is whole.\n' : `The audit trail has ${report.faults.length} faults.\n`);
    return report.faults.length === 0 ? 0 : 1;
  } finally {
    await store.close();
  }
}
