export * from './port';
export { connectStore, type StoreOptions, type StoreTimeouts } from './adapter/connect';
export { StoreRefusedError } from './adapter/driver-errors';
export { IndexConflictError } from './adapter/indexes';
export { WeakWriteConcernError } from './adapter/weak-write-concern';
export { createDatabaseClock, keepMeasuring, type DatabaseClock } from './database-clock';
export { decodeCursor, encodeCursor, type CreationPosition } from './cursor';
export { writeFenced, type Patience, type Written } from './write-fenced';
export { openTables, type TablesOptions } from './tables/open-tables';
export {
  QueryTooSlowError,
  type ReadOptions,
  type RefusedRow,
  type TableIndex,
  type TableRow,
  type Tables,
  type TableStage,
} from './tables/port';
export { runMigrateCommand, type MigrateCommand } from './migrate/command';
export { migrate, type CollectionReport, type Migration, type MigrateOptions } from './migrate/migrate';
export { runAuditCommand, type AuditCommand } from './trail/command';
export {
  byResolution,
  keepTrail,
  verifyTrail,
  type Resolvable,
  type Trail,
  type TrailBlock,
  type TrailReport,
  type TrailRow,
} from './trail/resolution-trail';
export { SchemaVersionError } from './migrate/require-schema';
