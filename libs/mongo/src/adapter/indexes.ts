/**
 * Creates the declared indexes, and refuses to start when an index with the same name or key is defined differently: a
 * unique index without its uniqueness would admit two executors.
 */
import { InvariantError } from '@platform/kernel';
import { MongoServerError, type Db, type IndexDescriptionInfo } from 'mongodb';
import type { IndexDeclaration } from '../port';
import { samePlain, toPlain } from '../record/plain';

/** An existing index differs from the declared one; the message contains both. */
export class IndexConflictError extends InvariantError {
  override name = 'IndexConflictError';
}

const namespaceNotFound = 26;

type Existing = Pick<IndexDescriptionInfo, 'name' | 'key' | 'unique' | 'partialFilterExpression'>;

function sameKeys(a: object, b: object): boolean {
  return JSON.stringify(Object.entries(a)) === JSON.stringify(Object.entries(b));
}

type Definition = Pick<IndexDeclaration, 'key' | 'unique' | 'only'>;

/** An index as the database lists it, in the form of a declaration. */
function definitionOf({ key, unique, partialFilterExpression }: Existing): Definition {
  const only = partialFilterExpression as IndexDeclaration['only'];
  return { key: key as IndexDeclaration['key'], ...(unique ? { unique } : {}), ...(only ? { only } : {}) };
}

function describe({ key, unique, only }: Definition): string {
  return `${JSON.stringify(key)}${unique ? ' unique' : ''}${only ? ` only ${JSON.stringify(only)}` : ''}`;
}

function sameRecords(a: Definition, b: Definition): boolean {
  return samePlain(toPlain(a.only ?? null, 'only'), toPlain(b.only ?? null, 'only'));
}

function sameDefinition(a: Definition, b: Definition): boolean {
  return sameKeys(a.key, b.key) && (a.unique ?? false) === (b.unique ?? false) && sameRecords(a, b);
}

/** Whether the declared index exists; throws {@link IndexConflictError} when a different one is in its place. */
export function isAmong(collection: string, declared: IndexDeclaration, existing: readonly Existing[]): boolean {
  const rival = (index: Existing): boolean =>
    sameKeys(index.key, declared.key) && sameRecords(definitionOf(index), declared);
  const found = existing.find(({ name }) => name === declared.name) ?? existing.find(rival);
  if (!found) return false;
  const present = definitionOf(found);
  if (found.name === declared.name && sameDefinition(present, declared)) return true;
  throw new IndexConflictError(
    `${collection}: index "${found.name}" (${describe(present)}) conflicts with the declared "${declared.name}" (${describe(declared)}); ` +
      'drop or rename it after a look at why it differs',
  );
}

async function existingIndexes(database: Db, collection: string): Promise<Existing[]> {
  try {
    return await database.collection(collection).listIndexes().toArray();
  } catch (error) {
    if (error instanceof MongoServerError && error.code === namespaceNotFound) return [];
    throw error;
  }
}

/**
 * Creates the missing declared indexes. Safe when several replicas start at once. `builder` is the same database over
 * connections that wait for the end of a build.
 */
export async function ensureIndexes(
  { database, builder }: { readonly database: Db; readonly builder: Db },
  collection: string,
  declared: readonly IndexDeclaration[],
): Promise<void> {
  if (declared.length === 0) return;
  const existing = await existingIndexes(database, collection);
  const missing = declared.filter((index) => !isAmong(collection, index, existing));
  if (missing.length === 0) return;
  await builder.collection(collection).createIndexes(
    missing.map(({ name, key, unique, only }) => ({
      name,
      key: { ...key },
      ...(unique ? { unique } : {}),
      ...(only ? { partialFilterExpression: only } : {}),
    })),
  );
}
