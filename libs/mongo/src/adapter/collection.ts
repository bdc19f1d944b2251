/**
 * A revisioned collection on the official driver. Each write is one statement on one document, fenced by the revision
 * that was read; one statement creates, one changes, and one removes for retention.
 */
import type { Revisioned } from '@platform/kernel';
import type { Collection } from 'mongodb';
import type { CollectionDeclaration, Filter, FindOptions, RemovalOutcome, RevisionedCollection } from '../port';
import { assertRemovable } from '../record/changes';
import { strictlyAfter } from '../record/keyset';
import { readableOnly, type Quarantine } from '../record/quarantine';
import { listQuery } from '../record/query';
import { withPortErrors, portError } from './driver-errors';
import { createInsert, createMutation, type WriteMeans } from './fenced-writes';
import { createOutbox } from './outbox';
import { settleRemoval } from './settle-removal';
import { createStatements, type RunCommand, type Statements } from './statements';
import { driverFilter, type StoredDocument } from './stored-document';

export interface CollectionDependencies extends WriteMeans {
  readonly run: RunCommand;
}

function createReads<T extends Revisioned>(
  declaration: CollectionDeclaration<T>,
  documents: Collection<StoredDocument>,
  statements: Statements,
  quarantine: Quarantine,
): Pick<RevisionedCollection<T>, 'findById' | 'find' | 'count' | 'quarantine'> {
  const { name } = declaration;
  const readable = (rows: readonly StoredDocument[]): T[] =>
    rows.filter((row) => quarantine.admits(declaration, row)) as unknown as T[];
  return {
    async findById(id) {
      const document = await withPortErrors(`${name} ${id}`, () => statements.read(id));
      return document ? quarantine.record<T>(declaration, document) : null;
    },
    async find(filter: Filter, options: FindOptions) {
      const query = listQuery(declaration, filter, options);
      const position = query.after ? strictlyAfter(query.sort, query.after) : [];
      if (position === null) return [];
      const wanted = position.length === 0 ? query.filter : { $and: [query.filter, ...position] };
      const page = (asked: object): Promise<StoredDocument[]> =>
        withPortErrors(name, () =>
          documents.find(driverFilter(asked)).sort(new Map(query.sort)).limit(query.limit).toArray(),
        );
      const rows = await page(wanted);
      const records = readable(rows);
      if (records.length === rows.length) return records;
      // A short page would end a walk, so it is read again without the unreadable rows.
      return readable(await page({ $and: [wanted, readableOnly(declaration)] }));
    },
    quarantine: quarantine.of(name),
    count: (filter) => withPortErrors(name, () => documents.countDocuments(driverFilter(filter))),
  };
}

function createRemoval<T extends Revisioned>(
  { name }: CollectionDeclaration<T>,
  documents: Collection<StoredDocument>,
  { resolution }: CollectionDependencies,
): Pick<RevisionedCollection<T>, 'remove'> {
  return {
    async remove(current: T): Promise<RemovalOutcome> {
      assertRemovable(name, current);
      const { _id: id, revision } = current;
      const fence = driverFilter({ _id: id, revision });
      const subject = `${name} ${id}`;
      try {
        return await settleRemoval(
          {
            subject,
            revision,
            send: async () => (await documents.deleteOne(fence)).deletedCount === 1,
            read: () => documents.findOne(driverFilter({ _id: id })),
          },
          resolution,
        );
      } catch (error) {
        throw portError(subject, error);
      }
    },
  };
}

export function createMongoCollection<T extends Revisioned>(
  declaration: CollectionDeclaration<T>,
  documents: Collection<StoredDocument>,
  dependencies: CollectionDependencies,
): RevisionedCollection<T> {
  const statements = createStatements(documents, dependencies.run);
  return {
    name: declaration.name,
    ...createReads(declaration, documents, statements, dependencies.quarantine),
    insert: createInsert(declaration, documents, statements, dependencies),
    mutate: createMutation(declaration, documents, statements, dependencies),
    ...createRemoval(declaration, documents, dependencies),
    outbox: createOutbox(declaration, documents, dependencies.quarantine),
  };
}
