/**
 * A revisioned collection on the official driver. Each write is one statement on one document, fenced by the revision
 * that was read; there is one statement that creates, one that changes, and one that removes for retention.
 */
import type { Revisioned } from '@platform/kernel';
import type { Collection } from 'mongodb';
import type { CollectionDeclaration, Filter, FindOptions, RemovalOutcome, RevisionedCollection } from '../port';
import { assertRemovable } from '../record/changes';
import { strictlyAfter } from '../record/keyset';
import { listQuery } from '../record/query';
import { asked, portError } from './driver-errors';
import { createInsert, createMutation, type WriteMeans } from './fenced-writes';
import { createOutbox } from './outbox';
import { settleRemoval } from './settle-removal';
import { createStatements, type RunCommand, type Statements } from './statements';
import { decode, driverFilter, type StoredDocument } from './stored-document';

export interface CollectionMeans extends WriteMeans {
  readonly run: RunCommand;
}

function createReads<T extends Revisioned>(
  declaration: CollectionDeclaration<T>,
  documents: Collection<StoredDocument>,
  statements: Statements,
): Pick<RevisionedCollection<T>, 'findById' | 'find' | 'count'> {
  const { name } = declaration;
  return {
    async findById(id) {
      const document = await asked(`${name} ${id}`, () => statements.read(id));
      return document ? decode<T>(document) : null;
    },
    async find(filter: Filter, options: FindOptions) {
      const query = listQuery(declaration, filter, options);
      const position = query.after ? strictlyAfter(query.sort, query.after) : [];
      if (position === null) return [];
      const wanted = position.length === 0 ? query.filter : { $and: [query.filter, ...position] };
      const ordered = documents.find(driverFilter(wanted)).sort(new Map(query.sort)).limit(query.limit);
      return (await asked(name, () => ordered.toArray())).map((document) => decode<T>(document));
    },
    count: (filter) => asked(name, () => documents.countDocuments(driverFilter(filter))),
  };
}

function createRemoval<T extends Revisioned>(
  { name }: CollectionDeclaration<T>,
  documents: Collection<StoredDocument>,
  { resolution }: CollectionMeans,
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
  means: CollectionMeans,
): RevisionedCollection<T> {
  const statements = createStatements(documents, means.run);
  return {
    name: declaration.name,
    ...createReads(declaration, documents, statements),
    insert: createInsert(declaration, documents, statements, means),
    mutate: createMutation(declaration, documents, statements, means),
    ...createRemoval(declaration, documents, means),
    outbox: createOutbox(declaration, documents),
  };
}
