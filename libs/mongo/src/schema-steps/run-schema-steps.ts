/**
 * Forward-only schema steps of documents. Each collection has a version in `schema_versions`. A step leads from one
 * version to the next, document by document; each write is fenced with the revision that was read, so a service that
 * still runs loses nothing. An interrupted pass begins again, so applying a change twice must give the same result as
 * applying it once. Documents without a revision cannot be fenced: they are reported and not changed.
 */
import { InvariantError, type Ids } from '@platform/kernel';
import type { Collection, Db } from 'mongodb';
import { samePlain, type Plain } from '../record/plain';

type PlainDocument = Readonly<Record<string, unknown>>;

export interface SchemaStep {
  readonly collection: string;
  /** The version that the collection has afterwards; the first is 1, and each next one is one more. */
  readonly to: number;
  /** One line for people: what changes and why. */
  readonly describe: string;
  /**
   * Returns the changed document; the same object when nothing changes. Fields that the store adds are kept in any
   * case.
   */
  readonly change: (document: PlainDocument) => PlainDocument;
}

export interface CollectionReport {
  readonly collection: string;
  readonly version: number;
  readonly documents: number;
  /** Documents that a schema step changed, or would change. */
  readonly changed: number;
  /** Documents that another process wrote meanwhile; the pass then counts as unfinished and must be run again. */
  readonly racing: number;
  /** Ids of documents without a revision, at most twenty. */
  readonly withoutRevision: readonly string[];
  readonly withoutRevisionCount: number;
}

export interface SchemaStepsOptions {
  readonly database: Db;
  readonly schemaSteps: readonly SchemaStep[];
  readonly ids: Ids;
  readonly now: () => Date;
  /** False: only report what would change. */
  readonly apply: boolean;
}

export interface StoredVersion {
  readonly _id: string;
  readonly version: number;
  readonly revision: string;
}
interface StoredDocument {
  readonly _id: string;
  readonly revision?: unknown;
}

export const versionsCollection = 'schema_versions';
const shownIds = 20;
const stamped = ['_id', 'revision', 'createdAt', 'updatedAt', 'outbox'] as const;

/** Throws InvariantError when the versions of a collection are not consecutive from 1. */
export function checkSchemaSteps(schemaSteps: readonly SchemaStep[]): void {
  const next = new Map<string, number>();
  for (const { collection, to } of schemaSteps) {
    const expected = (next.get(collection) ?? 0) + 1;
    if (to !== expected)
      throw new InvariantError(`schema steps of ${collection}: version ${to} comes where ${expected} should`);
    next.set(collection, to);
  }
}

function difference(
  before: PlainDocument,
  after: PlainDocument,
): { $set: Record<string, unknown>; $unset: Record<string, ''> } | null {
  const own = (document: PlainDocument) =>
    Object.entries(document).filter(([name]) => !stamped.some((kept) => kept === name));
  const set = own(after).filter(([name, value]) => !samePlain(before[name] as Plain, value as Plain));
  const gone = own(before).filter(([name]) => !Object.hasOwn(after, name));
  if (set.length === 0 && gone.length === 0) return null;
  return { $set: Object.fromEntries(set), $unset: Object.fromEntries(gone.map(([name]) => [name, '' as const])) };
}

async function changeDocument(
  documents: Collection<StoredDocument>,
  document: StoredDocument & PlainDocument,
  steps: readonly SchemaStep[],
  { ids, now, apply }: SchemaStepsOptions,
): Promise<'same' | 'changed' | 'racing'> {
  const change = difference(
    document,
    steps.reduce<PlainDocument>((current, step) => step.change(current), document),
  );
  if (!change) return 'same';
  if (!apply) return 'changed';
  const { $set, $unset } = change;
  const update = {
    $set: { ...$set, revision: ids.next(), updatedAt: now() },
    ...(Object.keys($unset).length > 0 && { $unset }),
  };
  const { matchedCount } = await documents.updateOne({ _id: document._id, revision: document.revision }, update);
  return matchedCount === 1 ? 'changed' : 'racing';
}

async function stepCollection(options: SchemaStepsOptions, name: string): Promise<CollectionReport> {
  const { database, schemaSteps, apply, ids, now } = options;
  const versions = database.collection<StoredVersion>(versionsCollection);
  const stored = await versions.findOne({ _id: name });
  const from = stored?.version ?? 0;
  const steps = schemaSteps.filter(({ collection, to }) => collection === name && to > from);
  const latest = Math.max(0, ...schemaSteps.filter(({ collection }) => collection === name).map(({ to }) => to));
  if (from > latest)
    throw new InvariantError(
      `${name} has version ${from}, this program knows ${latest}: schema steps go forward only, run a newer program`,
    );
  const documents = database.collection<StoredDocument>(name);
  const count = { documents: 0, changed: 0, racing: 0 };
  const withoutRevision: string[] = [];
  let withoutRevisionCount = 0;
  for await (const document of documents.find({}).sort({ _id: 1 })) {
    count.documents += 1;
    if (typeof document.revision !== 'string' || document.revision === '') {
      withoutRevisionCount += 1;
      if (withoutRevision.length < shownIds) withoutRevision.push(String(document._id));
      continue;
    }
    const outcome = steps.length === 0 ? 'same' : await changeDocument(documents, document, steps, options);
    if (outcome !== 'same') count[outcome] += 1;
  }
  const done = apply && steps.length > 0 && count.racing === 0 && withoutRevisionCount === 0;
  if (done) await recordVersion(versions, stored, { _id: name, version: latest, revision: ids.next() }, now());
  return { collection: name, version: done ? latest : from, ...count, withoutRevision, withoutRevisionCount };
}

/** Fenced like every write: of two programs that run the steps at the same time, one records the version. */
async function recordVersion(
  versions: Collection<StoredVersion>,
  stored: StoredVersion | null,
  { _id, version, revision }: StoredVersion,
  at: Date,
): Promise<void> {
  const stampedVersion = { version, revision, updatedAt: at };
  if (stored) await versions.updateOne({ _id, revision: stored.revision }, { $set: stampedVersion });
  else await versions.insertOne({ _id, ...stampedVersion, createdAt: at } as StoredVersion);
}

/**
 * Visits every collection of the database, including those without schema steps. Throws for a database that is newer.
 */
export async function runSchemaSteps(options: SchemaStepsOptions): Promise<CollectionReport[]> {
  checkSchemaSteps(options.schemaSteps);
  const present = (await options.database.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name);
  const wanted = new Set([
    ...present.filter((name) => name !== versionsCollection && !name.startsWith('system.')),
    ...options.schemaSteps.map(({ collection }) => collection),
  ]);
  const reports: CollectionReport[] = [];
  for (const name of [...wanted].sort()) reports.push(await stepCollection(options, name));
  return reports;
}
