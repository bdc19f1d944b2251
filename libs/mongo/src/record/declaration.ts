/**
 * Refuses declarations that some database version would refuse at start, so that the first unit test fails instead of
 * the first start on another version of MongoDB.
 */
import { assert, type Revisioned } from '@platform/kernel';
import type { CollectionDeclaration, Condition } from '../port';
import { isScalar } from './order';

const reserved: ReadonlySet<string> = new Set(['_id_', 'outbox']);
/** `$in` exists since MongoDB 6.0; `$ne` and `$exists: false` were never supported. */
const partialOperators: ReadonlySet<string> = new Set(['$gt', '$gte', '$lt', '$lte', '$exists']);

function indexable(condition: Condition): boolean {
  if (isScalar(condition)) return true;
  return Object.entries(condition).every(
    ([operator, value]) => partialOperators.has(operator) && (operator !== '$exists' || value === true),
  );
}

type Declared = Pick<CollectionDeclaration<Revisioned>, 'name' | 'indexes'>;

/** The names of the declarations that were checked, by their indexes: every boot of a test declares all of them again. */
const checked = new WeakMap<Declared['indexes'], string>();

/** Throws InvariantError for a declaration that some supported version cannot create. */
export function checkDeclaration(declaration: Declared): void {
  if (checked.get(declaration.indexes) === declaration.name) return;
  check(declaration);
  checked.set(declaration.indexes, declaration.name);
}

function check({ name, indexes }: Declared): void {
  assert(
    /^[a-z][a-z0-9_]*$/.test(name),
    `${JSON.stringify(name)} cannot name a collection: lower-case letters, digits and underscores only`,
  );
  assert(
    new Set(indexes.map((index) => index.name)).size === indexes.length,
    `${name}: two indexes carry the same name`,
  );
  for (const index of indexes) {
    assert(!reserved.has(index.name), `${name}: the index name "${index.name}" is reserved`);
    assert(Object.keys(index.key).length > 0, `${name}: index "${index.name}" has no key`);
    for (const [path, condition] of Object.entries(index.only ?? {})) {
      assert(
        indexable(condition),
        `${name}: index "${index.name}" cannot be limited by this condition on ${path}; equality, bounds and $exists: true are possible`,
      );
    }
  }
}
