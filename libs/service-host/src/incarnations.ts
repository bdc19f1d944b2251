/**
 * The register of boots. It never decides anything (law 4): it is evidence for a person who must prove that the
 * executor of a stopped operation has ended. A later boot of the same instance marks the earlier ones as superseded; an
 * orderly end records its time.
 */
import type { Clock, Executor, Revisioned } from '@platform/kernel';

export interface IncarnationRecord extends Revisioned {
  readonly service: string;
  readonly instance: string;
  readonly startedAt: Date;
  /** Written at an orderly end; absent after a crash. */
  readonly stoppedAt?: Date;
  /** A later boot of the same service and instance. */
  readonly supersededBy?: { readonly incarnation: string; readonly at: Date };
  /** The last heartbeat. It proves that the process was running then, and nothing about later. */
  readonly lastHeardAt?: Date;
  /** A person's recorded proof that the process is gone, in the form that the audit trails use. */
  readonly resolution?: {
    readonly outcome: 'gone';
    readonly executorStopped: string;
    readonly by: string;
    readonly at: Date;
  };
}

export type IncarnationDraft = Omit<IncarnationRecord, 'revision' | 'createdAt' | 'updatedAt'>;

type Written<T> =
  | { readonly outcome: 'applied'; readonly record: T }
  | { readonly outcome: 'not_applied' }
  | { readonly outcome: 'unknown'; readonly reason: string };

/**
 * The part of the document store that is used here; a revisioned collection of {@link IncarnationRecord} has this type.
 */
export interface IncarnationRecords {
  findById(id: string): Promise<IncarnationRecord | null>;
  find(
    filter: { readonly [path: string]: string | { readonly $exists: boolean } },
    options: {
      readonly sort: { readonly [path: string]: 1 | -1 };
      readonly limit: number;
      /** Continues after this position of the sort. */
      readonly after?: readonly (Date | string)[];
    },
  ): Promise<IncarnationRecord[]>;
  insert(draft: IncarnationDraft): Promise<Written<IncarnationRecord>>;
  mutate(current: IncarnationRecord, next: IncarnationDraft): Promise<Written<IncarnationRecord>>;
}

export type Supersession = 'open' | 'superseded' | 'stopped' | 'unknown';

/**
 * The register's state of a boot: `stopped` (it recorded its own end), `superseded` (a later boot of its instance
 * began), `open` (neither), `unknown` (no record). An open boot may have crashed: only an answer shows that it is
 * alive.
 */
export function supersession(record: IncarnationRecord | null): Supersession {
  if (!record) return 'unknown';
  if (record.stoppedAt) return 'stopped';
  return record.supersededBy ? 'superseded' : 'open';
}

export interface RegisterOptions {
  readonly records: IncarnationRecords;
  readonly executor: Executor;
  readonly clock: Clock;
}

export interface RegisteredIncarnation {
  readonly executor: Executor;
  /** The boots of this instance without a recorded end, now marked as superseded, oldest first. */
  readonly superseded: readonly string[];
  /** Records a sign of life. Throws when the store does not accept it. */
  heard(): Promise<void>;
  /** Records the orderly end. Safe to repeat. Throws when the store does not accept it. */
  stop(): Promise<void>;
}

const pageLimit = 100;
const triesMax = 5;

/** The store did not say that it has the change. Every change of the register may be made again. */
export class IncarnationNotWrittenError extends Error {
  override name = 'IncarnationNotWrittenError';
}

function draftOf({
  revision: _revision,
  createdAt: _createdAt,
  updatedAt: _updatedAt,
  ...draft
}: IncarnationRecord): IncarnationDraft {
  return draft;
}

/**
 * Writes `change` into a record, and reads it again after a lost race; a record that already has the change is not
 * written.
 */
async function change(
  records: Pick<IncarnationRecords, 'findById' | 'mutate'>,
  id: string,
  alreadyDone: (record: IncarnationRecord) => boolean,
  next: (draft: IncarnationDraft) => IncarnationDraft,
): Promise<void> {
  let reason = 'lost the race each time';
  for (let tries = 0; tries < triesMax; tries += 1) {
    const current = await records.findById(id);
    if (!current || alreadyDone(current)) return;
    const written = await records.mutate(current, next(draftOf(current)));
    if (written.outcome === 'applied') return;
    if (written.outcome === 'unknown') reason = written.reason;
  }
  throw new IncarnationNotWrittenError(`incarnation ${id} could not be changed: ${reason}`);
}

async function supersedeEarlier({ records, executor, clock }: RegisterOptions): Promise<string[]> {
  const { service, instance, incarnation } = executor;
  const filter = { service, instance, stoppedAt: { $exists: false }, supersededBy: { $exists: false } };
  const superseded = new Set<string>();
  for (;;) {
    const page = await records.find(filter, { sort: { startedAt: 1, _id: 1 }, limit: pageLimit });
    const earlier = page.filter(({ _id }) => _id !== incarnation && !superseded.has(_id));
    if (earlier.length === 0) return [...superseded];
    for (const { _id } of earlier) {
      const by = { incarnation, at: clock.now() };
      await change(
        records,
        _id,
        (record) => record.supersededBy !== undefined,
        (draft) => ({ ...draft, supersededBy: by }),
      );
      superseded.add(_id);
    }
  }
}

/**
 * Registers this boot, then marks the earlier boots of the same service and instance that have not recorded their end.
 * Its own record comes first, because it shows which boot supersedes an earlier one; where it is there, an earlier try
 * has written it. Throws {@link IncarnationNotWrittenError} when the store does not say that it has the record.
 */
export async function registerIncarnation(options: RegisterOptions): Promise<RegisteredIncarnation> {
  const { records, executor, clock } = options;
  const { service, instance, incarnation } = executor;
  const written = await records.insert({ _id: incarnation, service, instance, startedAt: clock.now() });
  if (written.outcome === 'unknown')
    throw new IncarnationNotWrittenError(`incarnation ${incarnation} could not be registered: ${written.reason}`);
  const superseded = await supersedeEarlier(options);
  return {
    executor,
    superseded,
    heard: () =>
      change(
        records,
        incarnation,
        (record) => record.stoppedAt !== undefined,
        (draft) => ({ ...draft, lastHeardAt: clock.now() }),
      ),
    stop: () => {
      const stoppedAt = clock.now();
      return change(
        records,
        incarnation,
        (record) => record.stoppedAt !== undefined,
        (draft) => ({ ...draft, stoppedAt }),
      );
    },
  };
}

/**
 * Records a person's proof that these boots are gone, unless one has recorded its end or was declared gone meanwhile. A
 * boot that began after the person was shown them is not among them: it was not asked. Throws when the store does not
 * accept it.
 */
export async function declareGone(
  records: Pick<IncarnationRecords, 'findById' | 'mutate'>,
  boots: readonly Pick<IncarnationRecord, '_id'>[],
  { by, at, proof }: { readonly by: string; readonly at: Date; readonly proof: string },
): Promise<void> {
  for (const { _id } of boots)
    await change(
      records,
      _id,
      (record) => record.resolution !== undefined || record.stoppedAt !== undefined,
      (draft) => ({ ...draft, resolution: { outcome: 'gone' as const, executorStopped: proof, by, at } }),
    );
}

/** All boots of an instance that have neither recorded their end nor been declared gone, oldest first. */
export async function openBoots(
  records: Pick<IncarnationRecords, 'find'>,
  service: string,
  instance: string,
): Promise<readonly IncarnationRecord[]> {
  const filter = { service, instance, stoppedAt: { $exists: false }, 'resolution.at': { $exists: false } };
  const boots: IncarnationRecord[] = [];
  for (;;) {
    const last = boots.at(-1);
    const page = await records.find(filter, {
      sort: { startedAt: 1, _id: 1 },
      limit: pageLimit,
      ...(last && { after: [last.startedAt, last._id] }),
    });
    boots.push(...page);
    if (page.length < pageLimit) return boots;
  }
}
