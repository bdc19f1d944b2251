/** The embedded document store: lets the official MongoDB driver run, unchanged, on a machine without mongod. */
export { startDocumentStore } from './server';
export type { UserOptions } from './auth/users';
export { parseExtendedJson, stringifyExtendedJson } from './testing/extended-json';
export { createMemoryEngine } from './testing/memory-engine';
export { connectRaw } from './testing/raw-client';
export type { RawClient } from './testing/raw-client';
export { Int32 } from './bson/values';
export type { Doc, Value } from './bson/values';
export { supportedFeatures } from './support';
