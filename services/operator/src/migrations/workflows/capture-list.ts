/**
 * Captures the list: one item per workspace on the source plan, in the order of their ids. Items are inserted here and
 * nowhere else; a workspace that arrives after its place was passed is outside the job.
 */
import { decide, type Decision } from '@platform/durable/record';
import type { Checked } from '@platform/durable/steps';
import type { RevisionedCollection } from '@platform/mongo';
import type { LiveMigration, MigrationTarget } from '../domain/migration';
import { newItem, type MigrationItem } from '../domain/migration-item';
import type { Subscription } from '../../mirror/domain/subscription';
import { createListDigest } from './list-digest';
import type { MigrationPorts } from './ports';
import { readStore } from './read-store';

const pageSize = 500;
/** Inserts under way at a time; the store commits them together. */
const insertsAtOnce = 32;

export type Captured = { readonly count: number; readonly digest: string } | 'store_unavailable' | 'stopping';

/** The workspaces on a plan in the order of their ids, page by page. Throws StoreUnavailableError. */
export async function* workspacesOn(
  subscriptions: RevisionedCollection<Subscription>,
  planId: string,
  read: <T>(read: () => Promise<T>) => Promise<T> = (read) => read(),
): AsyncGenerator<readonly Subscription[]> {
  let after: readonly [string] | undefined;
  for (;;) {
    const position = after;
    const page = await read(() =>
      subscriptions.find({ planId }, { sort: { _id: 1 }, limit: pageSize, ...(position && { after: position }) }),
    );
    if (page.length > 0) yield page;
    const last = page.length < pageSize ? undefined : page.at(-1);
    if (!last) return;
    after = [last._id];
  }
}

class CaptureEnded extends Error {}

/** Writes the list of an admitted job and answers its length and digest. */
export async function captureList(
  ports: MigrationPorts,
  migration: LiveMigration,
  target: MigrationTarget,
): Promise<Captured> {
  const digest = createListDigest(migration.fromPlanId, target);
  let ordinal = 0;
  const read = async <T>(read: () => Promise<T>): Promise<T> => {
    const answer = await readStore(ports.retryPolicy, read);
    if (answer === 'unavailable') throw new CaptureEnded();
    return answer.value;
  };
  try {
    for await (const page of workspacesOn(ports.subscriptions, migration.fromPlanId, read)) {
      if (ports.stopping()) return 'stopping';
      const drafts = page.map((subscription) => newItem(migration._id, (ordinal += 1), subscription));
      for (let from = 0; from < drafts.length; from += insertsAtOnce) {
        const written = await Promise.all(
          drafts.slice(from, from + insertsAtOnce).map((draft) => insertItem(ports, draft)),
        );
        if (!written.every(Boolean)) return 'store_unavailable';
      }
      for (const { _id, revision } of page) digest.add(_id, revision);
    }
  } catch (error) {
    if (error instanceof CaptureEnded) return 'store_unavailable';
    throw error;
  }
  return digest.done();
}

/** An existing item was written by this same capture: only one executor is ever admitted to it. */
async function insertItem(
  ports: Pick<MigrationPorts, 'items' | 'retryPolicy'>,
  draft: ReturnType<typeof newItem>,
): Promise<boolean> {
  const insert = (read: MigrationItem | null): Decision<Checked<MigrationItem>, boolean> =>
    read
      ? { answer: read.subscriptionRevision === draft.subscriptionRevision && read.ordinal === draft.ordinal }
      : { write: draft };
  const decided = await decide(ports, ports.items, draft._id, insert, null);
  return decided.kind === 'answered' ? decided.answer : decided.kind === 'written';
}
