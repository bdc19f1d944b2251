/** `npm run ops -- audit verify [--expect <trail>=<hash>]…`: are the trails of who asked for what and who resolved what whole? Off-line; changes nothing. */
import { runAuditCommand, verifyTrail } from '@platform/mongo';
import { auditBlocksCollection } from '../operations/store/audit-blocks';
import { migrationItemTrail, migrationTrail } from '../migrations/store/migration-trails';
import { schemaSteps } from '../store/schema-steps';
import { operationsCollection } from '../operations/store/operations';
import { verifyAudit } from '../operations/workflows/verify-audit';

/** Answers the exit code. Throws what the store throws. */
export function runAudit(expect: readonly string[]): Promise<number> {
  return runAuditCommand({
    url: process.env['MONGODB_URL'] ?? `mongodb://127.0.0.1:${Number(process.env['PORT_BASE'] ?? 7000) + 17}`,
    database: process.env['MONGODB_DATABASE'] ?? 'operator',
    schemaSteps,
    expect,
    print: (line) => void process.stdout.write(`${line}\n`),
    trails: {
      operator: (store, expectedHash) =>
        verifyAudit(
          { operations: store.collection(operationsCollection), blocks: store.collection(auditBlocksCollection) },
          expectedHash,
        ),
      migrations: (store, expectedHash) => verifyTrail(migrationTrail(store), expectedHash),
      'migration-items': (store, expectedHash) => verifyTrail(migrationItemTrail(store), expectedHash),
    },
  });
}
