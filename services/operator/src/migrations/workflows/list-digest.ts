/**
 * The identity of a list: its workspaces, their revisions, and the target plan. The dry run and the capture compute it
 * while they read the list.
 */
import { createHash } from 'node:crypto';
import { digestOf } from '@platform/kernel';
import type { MigrationTarget } from '../domain/migration';

export interface ListDigest {
  add(tenantId: string, revision: string): void;
  /** SHA-256 over source, target, and each workspace with its revision, in the order of the list. */
  done(): { readonly count: number; readonly digest: string };
}

/** The digest that the dry run and the capture share. It is computed while the list is read, so no list is held. */
export function createListDigest(fromPlanId: string, target: MigrationTarget): ListDigest {
  const hash = createHash('sha256').update(digestOf({ fromPlanId, target }));
  let count = 0;
  return {
    add: (tenantId, revision) => {
      hash.update(`\n${tenantId}\0${revision}`);
      count += 1;
    },
    done: () => ({ count, digest: hash.digest('hex') }),
  };
}
