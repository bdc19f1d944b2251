/** The embedded document store: the official MongoDB driver, unchanged, on a machine without mongod. */
export { startDocumentStore } from './server';
export type { DocumentStore, DocumentStoreOptions } from './server';
export { DataFolderError } from './storage/data-folder';
