/** insert: adds documents one by one; an ordered insert ends at the first refusal. */
import { randomBytes } from 'node:crypto';
import { CommandError, failCommand } from '../errors';
import type { Doc, Value } from '../bson/values';
import { docOf, int, ObjectId, Regex, Timestamp, undefinedValue } from '../bson/values';
import { insertDoc } from '../storage/collection-store';
import { ensureCollection, namespaceName } from '../storage/store';
import type { Command } from './context';
import { checkArguments, optionalBoolean, requiredArray, wrongType } from './fields';
import { storeLimits } from './handshake';
import { checkWriteConcern, writeErrorDoc } from './write-results';

const insert: Command = async (command, context) => {
  checkArguments(command, 'insert', ['documents', 'ordered', 'bypassDocumentValidation']);
  const name = namespaceName(context.database, command.get('insert'));
  checkWriteConcern(command);
  optionalBoolean(command, 'bypassDocumentValidation', false, true);
  const ordered = optionalBoolean(command, 'ordered', true);
  const documents = requiredArray(command, 'documents').map((document) => {
    if (!(document instanceof Map)) throw wrongType('insert.documents', document, 'object');
    return document;
  });
  if (documents.length === 0 || documents.length > storeLimits.writeBatch) {
    failCommand(
      16,
      `Write batch sizes must be between 1 and ${storeLimits.writeBatch}. Got ${documents.length} operations.`,
    );
  }
  return context.store.engine.write(() => {
    const collection = ensureCollection(context.store, context.database, name);
    const errors: Doc[] = [];
    let inserted = 0;
    for (const [index, document] of documents.entries()) {
      try {
        insertDoc(context.store.engine, collection, withId(document));
        inserted += 1;
      } catch (error) {
        if (!(error instanceof CommandError)) throw error;
        errors.push(writeErrorDoc(index, error));
        if (ordered) break;
      }
    }
    return docOf({ n: int(inserted), writeErrors: errors.length > 0 ? errors : undefined });
  });
};

let counter = randomBytes(3).readUIntBE(0, 3);
const processBytes = randomBytes(5).toString('hex');

export function newObjectId(): ObjectId {
  counter = (counter + 1) % 0x1000000;
  const seconds = Math.floor(Date.now() / 1000);
  return new ObjectId(seconds.toString(16).padStart(8, '0') + processBytes + counter.toString(16).padStart(6, '0'));
}

/** The document with `_id` first (created when it is missing) and empty timestamps at the top level filled in. */
export function withId(document: Doc): Doc {
  const result: Doc = new Map([['_id', document.has('_id') ? (document.get('_id') as Value) : newObjectId()]]);
  checkId(result.get('_id') as Value);
  for (const [name, value] of document) {
    if (name === '_id') continue;
    result.set(name, value instanceof Timestamp && value.bits === 0n ? currentTimestamp() : value);
  }
  return result;
}

let lastTimestamp = 0n;
function currentTimestamp(): Timestamp {
  const start = (BigInt(Date.now()) / 1000n) << 32n;
  lastTimestamp = start > lastTimestamp ? start + 1n : lastTimestamp + 1n;
  return new Timestamp(lastTimestamp);
}

/** Throws code 53 for a type that `_id` may not have, and 52 for a field in it whose name begins with `$`. */
export function checkId(id: Value, depth = 0): void {
  if (Array.isArray(id)) failCommand(53, "The '_id' value cannot be of type array");
  if (id instanceof Regex) failCommand(53, "The '_id' value cannot be of type regex");
  if (id === undefinedValue) failCommand(53, "The '_id' value cannot be of type undefined");
  if (id instanceof Map) {
    for (const [name, value] of id) {
      if (name.startsWith('$') && !(depth === 0 && isReference(id))) {
        failCommand(52, `_id fields may not contain '$'-prefixed fields: ${name} is not valid for storage.`);
      }
      if (value instanceof Map) checkId(value, depth + 1);
    }
  }
}

/** A DBRef, whose fields begin with dollar signs. */
const isReference = (id: Doc): boolean => id.has('$ref') && id.has('$id');

export const insertCommands: Record<string, Command> = { insert };
