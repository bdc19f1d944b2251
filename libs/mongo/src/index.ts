export * from './port';
export { connectStore, type StoreOptions, type StoreTimeouts } from './adapter/connect';
export { StoreRefusedError } from './adapter/driver-errors';
export { IndexConflictError } from './adapter/indexes';
export { WeakWriteConcernError } from './adapter/weak-write-concern';
export { createDatabaseClock, keepMeasuring, type DatabaseClock } from './database-clock';
export { decodeCursor, encodeCursor, type CreationPosition } from './cursor';
export { writeFenced, type Patience, type Written } from './write-fenced';
