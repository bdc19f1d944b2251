/** The opened store: engine and catalog together; collections are found and created by name. */
import { failCommand } from '../errors';
import type { Value } from '../bson/values';
import type { Catalog, Collection } from './catalog';
import { addCollection, loadCatalog, removeCollection } from './catalog';
import { clearCollection } from './collection-store';
import type { Engine } from './engine';
import { openEngine } from './engine';
import type { FreeBytes } from './free-space';

export interface Store {
  engine: Engine;
  catalog: Catalog;
}

/** Opens the store in a folder. Throws DataFolderError when the folder cannot be used. */
export function openStore(folder: string, freeBytes?: FreeBytes): Store {
  return openStoreOn(openEngine(folder, freeBytes));
}

/** The store on an opened engine. */
export function openStoreOn(engine: Engine): Store {
  return { engine, catalog: loadCatalog(engine) };
}

export function findCollection(store: Store, database: string, name: string): Collection | undefined {
  return store.catalog.collections.get(database)?.get(name);
}

/** The collection, created when it does not exist; inside a write. Throws code 73 for a name that cannot be created. */
export function ensureCollection(store: Store, database: string, name: string): Collection {
  const existing = findCollection(store, database, name);
  if (existing) return existing;
  checkNewName(database, name);
  return addCollection(store.engine, store.catalog, database, name);
}

/** Removes a collection with all documents; inside a write. */
export function dropCollection(store: Store, collection: Collection): void {
  clearCollection(store.engine, collection);
  removeCollection(store.engine, store.catalog, collection);
}

export function collectionsOf(store: Store, database: string): Collection[] {
  return [...(store.catalog.collections.get(database)?.values() ?? [])];
}

const maxNamespaceBytes = 255;
const maxDatabaseBytes = 63;

/** The collection name of a command, checked as MongoDB does when it parses. */
export function namespaceName(database: string, value: Value | undefined, wrongTypeCode = 2): string {
  if (typeof value !== 'string') return failCommand(wrongTypeCode, `collection name has invalid type`);
  checkDatabaseName(database);
  if (value === '' || value.includes('\0') || value.startsWith('.') || value.includes('$')) {
    failCommand(73, `Invalid namespace specified '${database}.${value.replaceAll('\0', '')}'`);
  }
  return value;
}

function checkDatabaseName(database: string): void {
  if (database === '' || Buffer.byteLength(database) > maxDatabaseBytes || /[/\\. "$\0]/.test(database)) {
    failCommand(73, 'Invalid database name');
  }
}

function checkNewName(database: string, name: string): void {
  if (name.startsWith('system.')) failCommand(73, `Invalid system namespace: ${database}.${name}`);
  if (Buffer.byteLength(`${database}.${name}`) > maxNamespaceBytes)
    failCommand(73, 'Fully qualified namespace is too long');
}
