/** `npm run ops -- audit verify [--expect <hash>]`: is the trail of who asked for what whole? Off-line; changes nothing. */
import { createIds, silentLog, systemClock } from '@platform/kernel';
import { connectStore, runAuditCommand } from '@platform/mongo';
import { auditBlocksCollection } from '../store/audit-blocks';
import { migrations } from '../store/migrations';
import { operationsCollection } from '../store/operations';
import { verifyAudit } from '../workflows/verify-audit';

/** Answers the exit code. Throws what the store throws. */
export async function runAudit(args: readonly string[]): Promise<number> {
  const url = process.env['MONGODB_URL'] ?? `mongodb://127.0.0.1:${Number(process.env['PORT_BASE'] ?? 7000) + 17}`;
  const store = await connectStore({ url, database: process.env['MONGODB_DATABASE'] ?? 'operator', migrations, clock: systemClock, ids: createIds(systemClock), log: silentLog, appName: 'audit' });
  try {
    return await runAuditCommand({
      service: 'operator',
      args,
      say: (line) => void process.stdout.write(`${line}\n`),
      complain: (line) => void process.stderr.write(`${line}\n`),
      verify: (expectedHash) => verifyAudit({ operations: store.collection(operationsCollection), blocks: store.collection(auditBlocksCollection) }, expectedHash),
    });
  } finally {
    await store.close();
  }
}
