/**
 * What the driver's errors prove. Only two proofs are accepted for a write: no server was chosen, so nothing was sent;
 * or the server refused the statement before touching data. Any error that is not listed here is uncertain (law 2).
 */
import { InvariantError } from '@platform/kernel';
import {
  MongoDriverError,
  MongoError,
  MongoServerError,
  MongoServerSelectionError,
  MongoWriteConcernError,
} from 'mongodb';
import { StoreUnavailableError } from '../port';
import type { Doubt } from './resolve-write';

/** The database refuses a statement permanently: rights, validation, size. The configuration or the code is wrong. */
export class StoreRefusedError extends InvariantError {
  override name = 'StoreRefusedError';

  constructor(
    subject: string,
    readonly code: unknown,
    options: ErrorOptions,
  ) {
    super(`${subject}: the database refuses the statement (code ${String(code)})`, options);
  }
}

/** The store has answered several statements at once, and the answer does not show the result of this one. */
export class UnclearAnswerError extends Error {
  override name = 'UnclearAnswerError';
}

/** BadValue, FailedToParse, Unauthorized, TypeMismatch, CommandNotFound, ImmutableField, DocumentValidationFailure, BSONObjectTooLarge. */
const refusedBeforeAnyEffect: ReadonlySet<number> = new Set([2, 9, 13, 14, 59, 66, 121, 10_334]);
const duplicateKey = 11_000;

function refusalCode(error: unknown): number | null {
  if (!(error instanceof MongoServerError) || error instanceof MongoWriteConcernError) return null;
  return typeof error.code === 'number' && refusedBeforeAnyEffect.has(error.code) ? error.code : null;
}

/**
 * Temporary server errors: elections, shutdowns, moved chunks, time limits (retryable reads, and MaxTimeMSExpired,
 * WriteConcernTimeout, FailedToSatisfyReadPreference, CursorNotFound).
 */
const passing: ReadonlySet<number> = new Set([
  6, 7, 43, 50, 63, 64, 89, 91, 133, 134, 150, 189, 262, 9_001, 10_058, 10_107, 11_600, 11_602, 13_388, 13_435, 13_436,
]);
const passingLabels = [
  'RetryableWriteError',
  'RetryableError',
  'TransientTransactionError',
  'SystemOverloadedError',
  'NetworkError',
];

function passes(error: MongoServerError): boolean {
  return (
    passingLabels.some((label) => error.hasErrorLabel(label)) ||
    (typeof error.code === 'number' && passing.has(error.code))
  );
}

/** Errors that the driver raises before it opens or chooses a connection for the statement. */
function neverSent(error: unknown): boolean {
  return (
    error instanceof MongoServerSelectionError ||
    (error instanceof MongoDriverError && error.name === 'MongoWaitQueueTimeoutError')
  );
}

/**
 * Socket errors that the driver does not convert to network errors: a write to a connection whose other end has just
 * closed (EPIPE). How much was sent before is unknown.
 */
function ofTheSocket(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return false;
  return /^E[A-Z]+$|^ERR_(STREAM|SOCKET|TLS|SSL)_/.test(error.code);
}

export function doubtOf(error: unknown): Doubt {
  if (ofTheSocket(error) || error instanceof UnclearAnswerError) return 'uncertain';
  if (!(error instanceof MongoError)) return 'refused';
  if (neverSent(error)) return 'never_sent';
  return refusalCode(error) === null ? 'uncertain' : 'refused';
}

/** The fields of the unique key with which a write collided; null for any other error. */
export function duplicateKeyFields(error: unknown): readonly string[] | null {
  if (!(error instanceof MongoServerError) || error.code !== duplicateKey) return null;
  const pattern: unknown = error['keyPattern'];
  if (pattern && typeof pattern === 'object') return Object.keys(pattern);
  return /index: _id_/.test(error.message) ? ['_id'] : [];
}

/** The port's error that callers see instead of the driver's. */
export function portError(subject: string, error: unknown): unknown {
  const lost = ofTheSocket(error);
  if (!lost && !(error instanceof MongoError)) return error;
  if (error instanceof MongoServerError && !passes(error))
    return new StoreRefusedError(subject, error.code, { cause: error });
  return new StoreUnavailableError(
    `${subject}: the store cannot be asked now (${lost ? 'connection lost' : (error as MongoError).name})`,
    { cause: error },
  );
}

/** Runs a read, and turns the driver's errors into those of the port. */
export async function withPortErrors<T>(subject: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    throw portError(subject, error);
  }
}
