/**
 * The one error that commands raise: MongoDB's code, its name, and the extra fields that drivers use. Any other error
 * is a fault of the store and is reported as code 1 (internal) without its details.
 */
import type { Value } from './bson/values';

const codeNames: Readonly<Record<number, string>> = {
  1: 'InternalError',
  2: 'BadValue',
  9: 'FailedToParse',
  11: 'UserNotFound',
  13: 'Unauthorized',
  14: 'TypeMismatch',
  15: 'Overflow',
  16: 'InvalidLength',
  18: 'AuthenticationFailed',
  20: 'IllegalOperation',
  22: 'InvalidBSON',
  26: 'NamespaceNotFound',
  27: 'IndexNotFound',
  28: 'PathNotViable',
  40: 'ConflictingUpdateOperators',
  43: 'CursorNotFound',
  48: 'NamespaceExists',
  50: 'MaxTimeMSExpired',
  52: 'DollarPrefixedFieldName',
  53: 'InvalidIdField',
  54: 'NotSingleValueField',
  55: 'InvalidDBRef',
  56: 'EmptyFieldName',
  57: 'DottedFieldName',
  59: 'CommandNotFound',
  66: 'ImmutableField',
  67: 'CannotCreateIndex',
  68: 'IndexAlreadyExists',
  72: 'InvalidOptions',
  73: 'InvalidNamespace',
  85: 'IndexOptionsConflict',
  86: 'IndexKeySpecsConflict',
  87: 'CannotIndexParallelArrays',
  96: 'OperationFailed',
  112: 'WriteConflict',
  181: 'AmbiguousIndexKeyPattern',
  224: 'QueryFeatureNotAllowed',
  79: 'UnknownReplWriteConcern',
  175: 'QueryPlanKilled',
  246: 'SnapshotUnavailable',
  34: 'CannotBackfillArray',
  115: 'CommandNotSupported',
  121: 'DocumentValidationFailure',
  159: 'DurationOverflow',
  166: 'CommandNotSupportedOnView',
  168: 'InvalidPipelineOperator',
  171: 'CannotIndexParallelArrays',
  197: 'InvalidIndexSpecificationOption',
  206: 'NoSuchSession',
  225: 'TransactionTooOld',
  237: 'CursorKilled',
  238: 'NotImplemented',
  241: 'ConversionFailure',
  251: 'NoSuchTransaction',
  279: 'ClientDisconnect',
  256: 'TransactionCommitted',
  263: 'OperationNotSupportedInTransaction',
  292: 'QueryExceededMemoryLimitNoDiskUseAllowed',
  352: 'UnsupportedOpQueryCommand',
  10334: 'BSONObjectTooLarge',
  11000: 'DuplicateKey',
  11600: 'InterruptedAtShutdown',
  12051: 'CursorInUse',
  14031: 'OutOfDiskSpace',
};

/** MongoDB's name of a code, "Location<code>" for codes without one. */
const codeName = (code: number): string => codeNames[code] ?? `Location${code}`;

export class CommandError extends Error {
  override readonly name = 'CommandError';

  constructor(
    readonly code: number,
    message: string,
    /** Further fields of the reply, for example keyPattern and keyValue of a duplicate key. */
    readonly extra: Record<string, Value> = {},
  ) {
    super(message);
  }

  get codeName(): string {
    return codeName(this.code);
  }
}

/** Throws a command error; usable where an expression is needed. */
export function failCommand(code: number, message: string): never {
  throw new CommandError(code, message);
}
