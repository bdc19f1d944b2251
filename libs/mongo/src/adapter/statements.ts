/**
 * The statements of a revisioned collection by id: read one document, one insert, one fenced update. Statements of the
 * same turn share a command, in which each still concerns one document and has its own result.
 */
import { MongoServerError, type Collection, type Document, type UpdateFilter } from 'mongodb';
import { copyOf } from '../record/plain';
import { UnclearAnswerError } from './driver-errors';
import { gather } from './gather';
import type { Time } from './resolve-write';
import { driverFilter, type StoredDocument } from './stored-document';

export interface FencedUpdate {
  readonly id: string;
  /** The revision that the write replaces. */
  readonly replaces: string;
  /** The revision that the write creates. */
  readonly leaves: string;
  readonly update: { readonly $set: object; readonly $unset?: object; readonly $push?: object };
}

/**
 * A repeated statement is sent alone: then no other statement can make its command fail, and a document stored by its
 * first sending cannot confuse the results of others.
 */
export interface Statements {
  /** The document with that id, or null. */
  read(id: string): Promise<StoredDocument | null>;
  /** Rejects with the server's refusal of this document, including a taken unique key. */
  insert(document: StoredDocument, time: Time): Promise<void>;
  /** Whether the fence matched; nothing else is returned. */
  update(statement: FencedUpdate, time: Time): Promise<boolean>;
}

/** Sends one command to the database of the collection. */
export type RunCommand = (command: Document) => Promise<Document>;

interface WriteAnswer {
  readonly n: number;
  readonly writeErrors?: readonly (Document & { readonly index: number })[];
}

const refusalsOf = ({ writeErrors = [] }: WriteAnswer): Map<number, MongoServerError> =>
  new Map(writeErrors.map((refusal) => [refusal.index, new MongoServerError(refusal)]));

function writeConcernOf({ writeConcern }: Collection<StoredDocument>): Document {
  const { w, journal, wtimeoutMS } = writeConcern ?? {};
  return {
    ...(w !== undefined && { w }),
    ...(journal !== undefined && { j: journal }),
    ...(wtimeoutMS !== undefined && { wtimeout: wtimeoutMS }),
  };
}

export function createStatements(documents: Collection<StoredDocument>, run: RunCommand): Statements {
  const write = async (command: Document): Promise<WriteAnswer> =>
    (await run({ ...command, ordered: false, writeConcern: writeConcernOf(documents) })) as WriteAnswer;
  const name = documents.collectionName;
  const insertAlone = async (document: StoredDocument): Promise<void> => void (await documents.insertOne(document));
  const updateAlone = async ({ id, replaces, update }: FencedUpdate): Promise<boolean> =>
    (await documents.updateOne(driverFilter({ _id: id, revision: replaces }), update as UpdateFilter<StoredDocument>))
      .matchedCount === 1;

  const insertGathered = gather<StoredDocument, void>({
    alone: insertAlone,
    async together(inserted) {
      const refusals = refusalsOf(await write({ insert: name, documents: inserted }));
      return inserted.map((_document, index) => refusals.get(index));
    },
  });

  const updateGathered = gather<FencedUpdate, boolean>({
    alone: updateAlone,
    async together(statements) {
      const updates = statements.map(({ id, replaces, update }) => ({
        q: { _id: id, revision: replaces },
        u: update,
        multi: false,
      }));
      const answer = await write({ update: name, updates });
      const refusals = refusalsOf(answer);
      const matched =
        answer.n === statements.length - refusals.size
          ? () => true
          : await lookWhichMatched(documents, statements, answer.n);
      return statements.map((statement, index) => refusals.get(index) ?? matched(statement));
    },
  });

  return {
    read: gather<string, StoredDocument | null>({
      alone: (id) => documents.findOne(driverFilter({ _id: id })),
      async together(ids) {
        const wanted = [...new Set(ids)];
        const found = await documents
          .find(driverFilter({ _id: { $in: wanted } }), { batchSize: wanted.length + 1 })
          .toArray();
        const byId = new Map(found.map((document) => [document._id, document]));
        const first = new Set<string>();
        // Callers never share the document object.
        return ids.map((id) => (first.has(id) ? copyOf(byId.get(id) ?? null) : (first.add(id), byId.get(id) ?? null)));
      },
    }),

    insert: (document, time) => (time === 'first' ? insertGathered : insertAlone)(document),
    update: (statement, time) => (time === 'first' ? updateGathered : updateAlone)(statement),
  };
}

/**
 * The answer to several updates shows how many matched, but not which. Those whose revision is stored have matched;
 * when they are as many as the number in the answer, no other one has. Otherwise another writer has already overwritten
 * one of them, and each is resolved alone.
 */
async function lookWhichMatched(
  documents: Collection<StoredDocument>,
  statements: readonly FencedUpdate[],
  count: number,
): Promise<(statement: FencedUpdate) => boolean | Error> {
  const standing = await documents
    .find(driverFilter({ _id: { $in: statements.map(({ id }) => id) } }), { projection: { revision: 1 } })
    .toArray()
    .catch((error: unknown) => {
      throw new UnclearAnswerError('some of several updates matched, and which cannot be read', { cause: error });
    });
  const revisions = new Map(standing.map(({ _id, revision }) => [_id, revision]));
  const isStored = ({ id, leaves }: FencedUpdate): boolean => revisions.get(id) === leaves;
  if (statements.filter(isStored).length === count) return isStored;
  return (statement) =>
    isStored(statement) || new UnclearAnswerError('some of several updates matched, and another writer has followed');
}
