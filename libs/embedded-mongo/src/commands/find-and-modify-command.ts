/** findAndModify: changes or removes one document and returns it as it was before or after; upserts like update. */
import { failCommand } from '../errors';
import type { Doc, Value } from '../bson/values';
import { docOf, EncodedDoc, int } from '../bson/values';
import { parseFilter } from '../query/compile-filter';
import type { Projection } from '../query/projection';
import { compileProjection } from '../query/projection';
import { insertDoc, removeDoc, replaceDoc } from '../storage/collection-store';
import type { Collection } from '../storage/catalog';
import { choosePlan } from '../storage/planner';
import type { Match } from '../storage/read-plan';
import { ensureCollection, findCollection, namespaceName } from '../storage/store';
import type { CompiledUpdate } from '../update/parse-update';
import { parseUpdate } from '../update/parse-update';
import type { Command, CommandContext } from './context';
import { checkArguments, optionalBoolean, optionalDoc } from './fields';
import { orderedInOnePiece, readHint, readSort, assertOffered } from './find-command';
import { changedDoc, checkArrayFilterTypes, checkUpdateType, upsertDoc } from './update-command';
import { scopeOf } from './variables';
import { checkWriteConcern } from './write-results';

interface Request {
  name: string;
  remove: boolean;
  update: CompiledUpdate | undefined;
  upsert: boolean;
  giveNew: boolean;
  projection: Projection | undefined;
}

const findAndModifyArguments = [
  'query',
  'sort',
  'remove',
  'update',
  'new',
  'fields',
  'upsert',
  'bypassDocumentValidation',
  'collation',
  'arrayFilters',
  'hint',
  'let',
];

const findAndModify: Command = async (command, context) => {
  checkArguments(command, 'findAndModify', findAndModifyArguments);
  checkWriteConcern(command);
  assertOffered(command, ['collation']);
  const request = readRequest(command, context);
  const scope = scopeOf(command);
  const filter = parseFilter(queryOf(command), { scope });
  const { fields, natural } = readSort(optionalDoc(command, 'sort'));
  const hint = natural ?? readHint(command.get('hint'));
  return context.store.engine.write(() => {
    const collection = findCollection(context.store, context.database, request.name);
    const plan = collection && choosePlan(collection, { filter, sort: fields, hint });
    const [found] =
      collection && plan
        ? orderedInOnePiece(
            { filter, sort: fields, plan, collection, skip: 0, limit: 1, projection: undefined },
            context,
          )
        : [];
    if (!found) return notFound(request, command, context);
    return changeFound({ ...request, asked: queryOf(command) }, collection as Collection, found, context);
  });
};

function readRequest(command: Doc, context: CommandContext): Request {
  const [first] = command.keys();
  const name = namespaceName(context.database, command.get(first as string));
  const remove = optionalBoolean(command, 'remove', false, true);
  const upsert = optionalBoolean(command, 'upsert', false, true);
  const giveNew = optionalBoolean(command, 'new', false, true);
  const source = command.get('update');
  const filters = command.get('arrayFilters');
  if (filters !== undefined) checkArrayFilterTypes(filters);
  if (remove) {
    if (source !== undefined) failCommand(9, 'Cannot specify both an update and remove=true');
    if (upsert) failCommand(9, 'Cannot specify both upsert=true and remove=true');
    if (giveNew)
      failCommand(9, "Cannot specify both new=true and remove=true; 'remove' always returns the deleted document");
    if (filters !== undefined) failCommand(9, 'Cannot specify arrayFilters and remove=true');
  } else if (source === undefined) {
    failCommand(9, 'Either an update or remove=true must be specified');
  } else {
    checkUpdateType(source);
  }
  const fields = optionalDoc(command, 'fields');
  return {
    name,
    remove,
    upsert,
    giveNew,
    update:
      source === undefined
        ? undefined
        : parseUpdate(source, filters as Value[] | undefined, undefined, scopeOf(command)),
    projection: fields && compileProjection(fields, true),
  };
}

/** A null query is an empty one. */
const queryOf = (command: Doc): Doc =>
  (command.get('query') === null ? undefined : optionalDoc(command, 'query')) ?? new Map();

function reply(value: Doc | EncodedDoc | null, lastErrorObject: Doc): Doc {
  return docOf({ lastErrorObject, value });
}

function notFound(request: Request, command: Doc, context: CommandContext): Doc {
  if (request.remove) return reply(null, docOf({ n: int(0) }));
  if (!request.upsert) return reply(null, docOf({ n: int(0), updatedExisting: false }));
  const filter = parseFilter(queryOf(command), { scope: scopeOf(command) });
  const created = upsertDoc(request.update as CompiledUpdate, filter);
  insertDoc(context.store.engine, ensureCollection(context.store, context.database, request.name), created);
  const result = docOf({ n: int(1), updatedExisting: false, upserted: created.get('_id') });
  return reply(request.giveNew ? projected(request, created) : null, result);
}

const projected = (request: Request, document: Doc, match?: Match): Doc =>
  request.projection ? request.projection(document, match?.details) : document;

function changeFound(
  request: Request & { readonly asked: Doc },
  collection: Collection,
  match: Match,
  context: CommandContext,
): Doc {
  if (request.remove) {
    const value = projected(request, match.document, match);
    removeDoc(context.store.engine, collection, match, request.asked);
    return reply(value, docOf({ n: int(1) }));
  }
  const changed = changedDoc(request.update as CompiledUpdate, match.document, match.details);
  const projection = request.projection?.(request.giveNew ? changed : match.document, match.details);
  const bytes =
    changed === match.document
      ? match.bytes
      : replaceDoc(context.store.engine, collection, match, changed, request.asked);
  return reply(
    projection ?? new EncodedDoc(request.giveNew ? bytes : match.bytes),
    docOf({ n: int(1), updatedExisting: true }),
  );
}

export const findAndModifyCommands: Record<string, Command> = { findAndModify, findandmodify: findAndModify };
