/** `npm run ops -- migrate [--apply]` for one service's database. Without `apply` it only reports what would change. */
import { createIds, systemClock } from '@platform/kernel';
import { MongoClient } from 'mongodb';
import { runSchemaSteps, type CollectionReport, type SchemaStep } from './run-schema-steps';

export interface SchemaCommand {
  readonly database: string;
  readonly schemaSteps: readonly SchemaStep[];
  readonly apply: boolean;
  /** Connection string. */
  readonly url: string;
  readonly print: (line: string) => void;
}

const answerMs = 60_000;

function line(
  { collection, version, documents, changed, racing, withoutRevision, withoutRevisionCount }: CollectionReport,
  apply: boolean,
): string {
  const parts = [
    `${collection}: version ${version}, ${documents} documents`,
    ...(changed > 0 ? [`${changed} ${apply ? 'changed' : 'would change'}`] : []),
    ...(racing > 0 ? [`${racing} were written meanwhile; run it again`] : []),
    ...(withoutRevisionCount > 0
      ? [
          `${withoutRevisionCount} WITHOUT A REVISION, left alone: ${withoutRevision.join(', ')}${withoutRevisionCount > withoutRevision.length ? ', …' : ''}`,
        ]
      : []),
  ];
  return parts.join('; ');
}

/** Returns the exit code: 0 when nothing is left to do, 1 when something is. Throws what the driver throws. */
export async function runSchemaCommand({ database, schemaSteps, apply, url, print }: SchemaCommand): Promise<number> {
  const client = new MongoClient(url, {
    appName: 'migrate',
    serverSelectionTimeoutMS: 5_000,
    socketTimeoutMS: answerMs,
    retryWrites: false,
  });
  try {
    const opened = client.db(database, { writeConcern: { w: 'majority', journal: true }, readPreference: 'primary' });
    const reports = await runSchemaSteps({
      database: opened,
      schemaSteps,
      ids: createIds(systemClock),
      now: () => systemClock.now(),
      apply,
    });
    print(`${database}: ${schemaSteps.length} schema steps known`);
    for (const report of reports) print(`  ${line(report, apply)}`);
    const left = reports.some(
      ({ changed, racing, withoutRevisionCount }) => racing > 0 || withoutRevisionCount > 0 || (changed > 0 && !apply),
    );
    return left ? 1 : 0;
  } finally {
    await client.close();
  }
}
