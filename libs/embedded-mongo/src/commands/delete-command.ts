/** delete: removes one or all matches of each statement. */
import { CommandError, failCommand } from '../errors';
import { isNumeric, toDouble } from '../bson/numbers';
import type { Doc, Value } from '../bson/values';
import { docOf, int } from '../bson/values';
import { parseFilter } from '../query/compile-filter';
import { removeDoc } from '../storage/collection-store';
import { choosePlan } from '../storage/planner';
import { readPlan } from '../storage/read-plan';
import { findCollection, namespaceName } from '../storage/store';
import type { Command, CommandContext } from './context';
import {
  checkArguments,
  checkFields,
  optionalBoolean,
  requiredArray,
  requiredDoc,
  requiredValue,
  wrongType,
} from './fields';
import { readHint, assertOffered } from './find-command';
import { storeLimits } from './handshake';
import { scopeOf } from './variables';
import { checkWriteConcern, writeErrorDoc } from './write-results';

const deleteCommand: Command = async (command, context) => {
  checkArguments(command, 'delete', ['deletes', 'ordered', 'let']);
  const name = namespaceName(context.database, command.get('delete'));
  checkWriteConcern(command);
  const ordered = optionalBoolean(command, 'ordered', true);
  const statements = readStatements(command);
  return context.store.engine.write(() => {
    let removed = 0;
    const errors: Doc[] = [];
    for (const [index, statement] of statements.entries()) {
      try {
        removed += runStatement(command, statement, name, context);
      } catch (error) {
        if (!(error instanceof CommandError)) throw error;
        errors.push(writeErrorDoc(index, error));
        if (ordered) break;
      }
    }
    return docOf({ n: int(removed), writeErrors: errors.length > 0 ? errors : undefined });
  });
};

function readStatements(command: Doc): Doc[] {
  const statements = requiredArray(command, 'deletes').map((statement) => {
    if (!(statement instanceof Map)) throw wrongType('delete.deletes', statement, 'object');
    checkFields(statement, 'delete.deletes', ['q', 'limit', 'collation', 'hint', 'sampleId']);
    requiredDoc(statement, 'q');
    isSingle(requiredValue(statement, 'limit'));
    return statement;
  });
  if (statements.length === 0 || statements.length > storeLimits.writeBatch) {
    failCommand(
      16,
      `Write batch sizes must be between 1 and ${storeLimits.writeBatch}. Got ${statements.length} operations.`,
    );
  }
  return statements;
}

/** Limit 1 removes one match, 0 all; as on the server, a value that is not a number counts as 0. */
function isSingle(limit: Value): boolean {
  if (!isNumeric(limit)) return false;
  const number = toDouble(limit);
  if (number !== 0 && number !== 1) failCommand(9, `The limit field in delete objects must be 0 or 1. Got ${number}`);
  return number === 1;
}

function runStatement(command: Doc, statement: Doc, name: string, context: CommandContext): number {
  assertOffered(statement, ['collation']);
  const filter = parseFilter(requiredDoc(statement, 'q'), { scope: scopeOf(command) });
  const collection = findCollection(context.store, context.database, name);
  if (!collection) return 0;
  const plan = choosePlan(collection, { filter, sort: undefined, hint: readHint(statement.get('hint')) });
  const single = isSingle(requiredValue(statement, 'limit'));
  const matches = [];
  for (const match of readPlan(context.store.engine, collection, plan, filter, context.tick)) {
    matches.push(match);
    if (single) break;
  }
  for (const match of matches) removeDoc(context.store.engine, collection, match, requiredDoc(statement, 'q'));
  return matches.length;
}

export const deleteCommands: Record<string, Command> = { delete: deleteCommand };
