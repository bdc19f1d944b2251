/**
 * The statement that creates a record and the one that changes it. Each writes its own revision, which is the evidence
 * when its answer is lost.
 */
import type { Clock, Ids, OutboxEntry, Revisioned } from '@platform/kernel';
import type { Collection, UpdateFilter } from 'mongodb';
import {
  UniqueKeyError,
  type CollectionDeclaration,
  type Draft,
  type InsertOutcome,
  type MutationOutcome,
  type RevisionedCollection,
} from '../port';
import { changesBetween, draftFields, outboxFields } from '../record/changes';
import type { Quarantine } from '../record/quarantine';
import { duplicateKeyFields, portError } from './driver-errors';
import {
  settleWrite,
  type FencedWrite,
  type ResolutionDependencies,
  type Sent,
  type Settled,
  type Time,
} from './resolve-write';
import type { FencedUpdate, Statements } from './statements';
import { driverFilter, type StoredDocument } from './stored-document';

export interface WriteMeans {
  readonly quarantine: Quarantine;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly resolution: ResolutionDependencies;
}

/** This program wrote the document, so it has the type that its collection declares. */
function recordOf<T extends Revisioned>(written: StoredDocument): T {
  return written as unknown as T;
}

/** Sends one statement; a taken unique key is an answer, not an error. */
async function statement(send: () => Promise<StoredDocument | null>): Promise<Sent<StoredDocument>> {
  try {
    const record = await send();
    return record ? { kind: 'applied', record } : { kind: 'no_match' };
  } catch (error) {
    const conflict = duplicateKeyFields(error);
    if (conflict) return { kind: 'duplicate', conflict };
    throw error;
  }
}

/** Determines the results of writes of one collection: each is sent, and searched for when its answer is lost. */
function createSettle(name: string, documents: Collection<StoredDocument>, resolution: ResolutionDependencies) {
  return async (
    id: string,
    write: Pick<FencedWrite<StoredDocument>, 'leaves' | 'replaces' | 'send'>,
  ): Promise<Settled<StoredDocument>> => {
    const subject = `${name} ${id}`;
    try {
      return await settleWrite(
        { ...write, subject, read: () => documents.findOne(driverFilter({ _id: id })) },
        resolution,
      );
    } catch (error) {
      throw portError(subject, error);
    }
  };
}

/**
 * The record with the id of a refused insert: perhaps this process's own, when the driver has repeated a lost
 * statement.
 */
async function refusedInsert<T extends Revisioned>(
  { documents, record }: { documents: Collection<StoredDocument>; record: (row: StoredDocument) => T },
  id: string,
  revision: string,
  conflict: readonly string[],
): Promise<InsertOutcome<T>> {
  if (conflict[0] !== '_id') return { outcome: 'not_applied', existing: null, conflict };
  const holder = await documents.findOne(driverFilter({ _id: id })).catch(() => 'unreadable' as const);
  if (holder === 'unreadable') return { outcome: 'unknown', reason: 'another record holds the id and cannot be read' };
  if (holder?.revision === revision) return { outcome: 'applied', record: recordOf<T>(holder) };
  return { outcome: 'not_applied', existing: holder && record(holder), conflict };
}

export function createInsert<T extends Revisioned>(
  declaration: CollectionDeclaration<T>,
  documents: Collection<StoredDocument>,
  statements: Statements,
  { clock, ids, resolution, quarantine }: WriteMeans,
): RevisionedCollection<T>['insert'] {
  const record = (row: StoredDocument): T => quarantine.record<T>(declaration, row);
  const settle = createSettle(declaration.name, documents, resolution);
  return async (draft: Draft<T>, announce: readonly OutboxEntry[] = []): Promise<InsertOutcome<T>> => {
    const fields = draftFields(declaration.name, draft);
    const outbox = outboxFields(declaration, announce);
    const id = String(fields['_id']);
    const revision = ids.next();
    const at = clock.now();
    const document: StoredDocument = {
      ...fields,
      _id: id,
      revision,
      createdAt: at,
      updatedAt: at,
      ...(outbox.length > 0 ? { outbox } : {}),
    };
    const send: FencedWrite<StoredDocument>['send'] = (time) =>
      statement(() => statements.insert(document, time).then(() => document));
    const settled = await settle(id, { leaves: revision, replaces: null, send });
    if (settled.kind === 'applied') return { outcome: 'applied', record: recordOf<T>(settled.record) };
    if (settled.kind === 'duplicate') return refusedInsert({ documents, record }, id, revision, settled.conflict);
    return {
      outcome: 'unknown',
      reason: settled.kind === 'unknown' ? settled.reason : 'the insert was not confirmed',
    };
  };
}

type Outbox = Pick<StoredDocument, 'outbox'>;

/**
 * The record after a fenced write: the fence proves that the store held `current`, so the answer need not contain it.
 * Only the outbox comes from the store, because a relay may have removed messages meanwhile.
 */
function recordAfter(current: Revisioned, set: object, unset: readonly string[], { outbox }: Outbox): StoredDocument {
  const { outbox: _closed, ...record } = { ...current, ...set } as StoredDocument & Record<string, unknown>;
  for (const field of unset) delete record[field];
  return outbox ? { ...record, outbox } : record;
}

/** Sends a fenced update; returns the record's outbox after it, or null when the fence did not match. */
function createChange(documents: Collection<StoredDocument>, statements: Statements) {
  return async (current: Outbox, change: FencedUpdate, time: Time): Promise<Outbox | null> => {
    const { id, replaces, update } = change;
    // Messages are only added with a new revision: if none waited and none is added, the outbox stays empty.
    if (!update.$push && !current.outbox?.length) return (await statements.update(change, time)) ? current : null;
    return documents.findOneAndUpdate(
      driverFilter({ _id: id, revision: replaces }),
      update as UpdateFilter<StoredDocument>,
      { returnDocument: 'after', projection: { outbox: 1 } },
    );
  };
}

export function createMutation<T extends Revisioned>(
  declaration: CollectionDeclaration<T>,
  documents: Collection<StoredDocument>,
  statements: Statements,
  { clock, ids, resolution }: WriteMeans,
): RevisionedCollection<T>['mutate'] {
  const { name } = declaration;
  const settle = createSettle(name, documents, resolution);
  const change = createChange(documents, statements);
  return async (current: T, next: Draft<T>, announce: readonly OutboxEntry[] = []): Promise<MutationOutcome<T>> => {
    const { set, unset } = changesBetween(name, current, next);
    const outbox = outboxFields(declaration, announce);
    const revision = ids.next();
    const update = {
      $set: { ...set, revision, updatedAt: clock.now() },
      ...(unset.length > 0 ? { $unset: Object.fromEntries(unset.map((field) => [field, '' as const])) } : {}),
      ...(outbox.length > 0 ? { $push: { outbox: { $each: outbox } } } : {}),
    };
    const { _id: id, revision: replaces } = current;
    const send: FencedWrite<StoredDocument>['send'] = (time) =>
      statement(async () => {
        const left = await change(current as Outbox, { id, replaces, leaves: revision, update }, time);
        return left && recordAfter(current, update.$set, unset, left);
      });
    const settled = await settle(id, { leaves: revision, replaces, send });
    if (settled.kind === 'applied') return { outcome: 'applied', record: recordOf<T>(settled.record) };
    if (settled.kind === 'duplicate') throw new UniqueKeyError(name, settled.conflict);
    return settled.kind === 'no_match' ? { outcome: 'not_applied' } : { outcome: 'unknown', reason: settled.reason };
  };
}
