/**
 * At start: checks that this program knows the versions of the stored documents. It would misread and damage newer
 * ones, and it no longer reads older ones, so both prevent the start. An empty collection is recorded with this
 * program's version, so that its documents are not considered old later.
 */
import type { Clock, Ids } from '@platform/kernel';
import { MongoServerError, type Db } from 'mongodb';
import { checkSchemaSteps, versionsCollection, type SchemaStep, type StoredVersion } from './run-schema-steps';

/** The documents have another schema version than the program. */
export class SchemaVersionError extends Error {
  override name = 'SchemaVersionError';
}

const duplicateKey = 11_000;

/** The version that a program with these schema steps writes, by collection. */
function latestVersions(schemaSteps: readonly SchemaStep[]): Map<string, number> {
  checkSchemaSteps(schemaSteps);
  return new Map(schemaSteps.map(({ collection, to }) => [collection, to]));
}

/** Why a program that knows `known` cannot work with documents at `stored`, in words for people; null when it can. */
export function schemaRefusal(known: ReadonlyMap<string, number>, stored: ReadonlyMap<string, number>): string | null {
  const newer = [...stored].filter(([collection, version]) => version > (known.get(collection) ?? 0));
  if (newer.length > 0) {
    const list = newer.map(
      ([collection, version]) =>
        `${collection} is at version ${version}, this program knows ${known.get(collection) ?? 0}`,
    );
    return `the documents are newer than this program (${list.join('; ')}). Start the newer program, or restore a backup from before its schema steps`;
  }
  const older = [...known].filter(([collection, version]) => (stored.get(collection) ?? 0) < version);
  if (older.length === 0) return null;
  const list = older.map(
    ([collection, version]) =>
      `${collection} is at version ${stored.get(collection) ?? 0}, this program needs ${version}`,
  );
  return `the documents are older than this program (${list.join('; ')}). Run: npm run ops -- migrate --apply`;
}

export interface RequireSchemaOptions {
  readonly database: Db;
  readonly schemaSteps: readonly SchemaStep[];
  readonly ids: Ids;
  readonly clock: Clock;
}

/** Throws SchemaVersionError, and what the driver throws. */
export async function requireSchema({ database, schemaSteps, ids, clock }: RequireSchemaOptions): Promise<void> {
  const known = latestVersions(schemaSteps);
  // Emptiness is read before the versions: a version is written before the first document, so documents without one are
  // old.
  const empty = new Set<string>();
  for (const name of known.keys())
    if ((await database.collection(name).findOne({}, { projection: { _id: 1 } })) === null) empty.add(name);
  const versions = database.collection<StoredVersion>(versionsCollection);
  const stored = new Map((await versions.find({}).toArray()).map(({ _id, version }) => [_id, version]));
  for (const name of [...empty].filter((each) => !stored.has(each))) {
    const [version, at] = [known.get(name) ?? 0, clock.now()];
    try {
      await versions.insertOne({
        _id: name,
        version,
        revision: ids.next(),
        createdAt: at,
        updatedAt: at,
      } as StoredVersion);
    } catch (error) {
      // Another replica was first, and recorded the version.
      if (!(error instanceof MongoServerError) || error.code !== duplicateKey) throw error;
    }
    stored.set(name, (await versions.findOne({ _id: name }))?.version ?? version);
  }
  const refusal = schemaRefusal(known, stored);
  if (refusal !== null) throw new SchemaVersionError(`refusing to start: ${refusal}`);
}
