/** What the write commands share: write concern, the form of write errors, upserted ids. */
import { failCommand } from '../errors';
import type { CommandError } from '../errors';
import { isNumeric, toDouble } from '../bson/numbers';
import type { Doc } from '../bson/values';
import { docOf, int } from '../bson/values';
import { wrongType } from './fields';

/**
 * Every write is durable before its reply, so all write concerns that a standalone server knows are satisfied.
 * Throws code 2 for `w` above 1, 79 for an unknown mode.
 */
export function checkWriteConcern(command: Doc): void {
  const concern = command.get('writeConcern');
  if (concern === undefined) return;
  if (!(concern instanceof Map)) throw wrongType('writeConcern', concern, 'object');
  const w = concern.get('w');
  if (isNumeric(w) && toDouble(w) > 1) failCommand(2, "cannot use 'w' > 1 when a host is not replicated");
  if (typeof w === 'string' && w !== 'majority')
    failCommand(2, `cannot use non-majority 'w' mode "${w}" when a host is not a member of a replica set`);
}

export function writeErrorDoc(index: number, error: CommandError): Doc {
  return docOf({ index: int(index), code: int(error.code), errmsg: error.message, ...error.extra });
}
