/**
 * Proposes a resource from a sample of a collection's documents: names, types and forms of storage as found there. A
 * person reviews the proposal; it lists what a sample cannot prove.
 */
import type { DataType } from '@platform/page-runtime';
import { claimName, identifierFrom, kebabCase } from './names';
import type { NewField, NewResource } from './scaffold';

export interface Introspected {
  readonly resource: NewResource;
  /** Notes that a person should read before writing it. */
  readonly notes: readonly string[];
}

export interface IntrospectOptions {
  readonly collection: string;
  /** Name of the resource. Absent: derived from the collection. */
  readonly name?: string;
  readonly title?: string;
  /** Path of the field with the row's workspace. Absent: `tenantId`, if every row has one. */
  readonly tenantField?: string;
}

type Form = 'text' | 'number' | 'decimal' | 'date' | 'boolean' | 'objectId' | 'list' | 'document' | 'other';

interface Seen {
  readonly path: string;
  readonly forms: Map<Form, number>;
  /** The distinct texts, as long as there are few. */
  texts: Set<string> | undefined;
  longest: number;
}

const maxDepth = 4;
const maxFields = 200;
/** The longest path and name that a resource takes. */
const maxPathCharacters = 200;
const maxNameCharacters = 64;
/** A document with more keys than this is a map by key, not a row of fields. */
const maxKeys = 60;
const maxOptions = 12;
const plainKey = /^[^.$\0]+$/;
const email = /^[^@\s]+@[^@\s]+\.[^@\s]+$/;
const url = /^https?:\/\//;
const moneyWords = /price|amount|total|cost|fee|revenue|gross|\bnet\b|paid$/i;

/** The proposal for the documents of a sample; undefined when they contain no usable field. */
export function introspect(
  documents: readonly Readonly<Record<string, unknown>>[],
  options: IntrospectOptions,
): Introspected | undefined {
  const { collection, name = resourceName(collection), title = titleOf(name), tenantField } = options;
  const seen = new Map<string, Seen>();
  for (const document of documents) walk(document, [], seen);
  const tenantPath = tenantField ?? 'tenantId';
  const tenants = seen.get(tenantPath)?.forms.get('text') ?? 0;
  const tenantScoped = tenantField !== undefined || (tenants === documents.length && tenants > 0);
  const notes: string[] = [];
  if (!tenantScoped)
    notes.push('rows name no workspace: each caller with the permission of a page sees all of them (--tenant-field)');
  if (tenantField !== undefined && tenants < documents.length)
    notes.push(
      `${documents.length - tenants} of ${documents.length} rows have no text in ${tenantField}: no reader sees them`,
    );
  const taken = new Set<string>();
  const found = [...seen.values()]
    .filter(({ path }) => path !== '_id' && !(tenantScoped && path === tenantPath))
    .flatMap((each) => fieldOf(each, documents.length, taken, notes));
  const fields = found.slice(0, maxFields);
  if (fields.length === 0) return undefined;
  if (fields.length < found.length)
    notes.push(`${found.length - fields.length} of ${found.length} fields are left out: a resource takes ${maxFields}`);
  return {
    resource: {
      name,
      title,
      ...(collection !== name && { collection }),
      tenantScoped,
      ...(tenantField !== undefined && tenantField !== 'tenantId' && { tenantField }),
      fields,
    },
    notes,
  };
}

/** A name that the database takes: without `$` and NUL, and no empty part between dots. */
export function isCollectionName(text: string): boolean {
  return !/[$\0]/.test(text) && text.split('.').every((part) => part !== '');
}

function resourceName(collection: string): string {
  const words = collection.split(/[^A-Za-z0-9]+/).filter(Boolean);
  return (
    words
      .map(kebabCase)
      .join('-')
      .replace(/^[^a-z]+/, '')
      .slice(0, maxNameCharacters)
      .replace(/-+$/, '') || 'rows'
  );
}

function titleOf(name: string): string {
  const words = name.replaceAll('-', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function walk(document: Readonly<Record<string, unknown>>, above: readonly string[], seen: Map<string, Seen>): void {
  for (const [key, value] of Object.entries(document)) {
    if (!plainKey.test(key) || value === null || value === undefined) continue;
    const parts = [...above, key];
    const form = formOf(value);
    if (form === 'document' && parts.length < maxDepth && Object.keys(value).length <= maxKeys)
      walk(value as Readonly<Record<string, unknown>>, parts, seen);
    else note(parts.join('.'), form, value, seen);
  }
}

function note(path: string, form: Form, value: unknown, seen: Map<string, Seen>): void {
  const each = seen.get(path) ?? { path, forms: new Map(), texts: new Set(), longest: 0 };
  seen.set(path, each);
  each.forms.set(form, (each.forms.get(form) ?? 0) + 1);
  if (typeof value !== 'string') return;
  each.longest = Math.max(each.longest, value.length);
  each.texts?.add(value);
  // With more texts than this, only the length of the longest decides the type.
  if (each.texts && each.texts.size > 1_000) each.texts = undefined;
}

const forms: Readonly<Record<string, Form>> = {
  ObjectId: 'objectId',
  Decimal128: 'decimal',
  Long: 'number',
  Int32: 'number',
  Double: 'number',
};

function formOf(value: unknown): Form {
  if (typeof value === 'string') return 'text';
  if (typeof value === 'number' || typeof value === 'bigint') return 'number';
  if (typeof value === 'boolean') return 'boolean';
  if (value instanceof Date) return 'date';
  if (Array.isArray(value)) return value.every((each) => typeof each === 'string') ? 'list' : 'other';
  if (typeof value !== 'object' || value === null) return 'other';
  if ('_bsontype' in value) return forms[String(value._bsontype)] ?? 'other';
  return 'document';
}

/** The field of a path, by the type of most of its values; none for a type that queries cannot use. */
function fieldOf(seen: Seen, rows: number, taken: Set<string>, notes: string[]): NewField[] {
  const { path } = seen;
  if (path.length > maxPathCharacters) {
    notes.push(`${path.slice(0, 40)}… is left out: its path has more than ${maxPathCharacters} characters`);
    return [];
  }
  const counted = [...seen.forms].sort((a, b) => b[1] - a[1]);
  const [form, most] = counted[0]!;
  const total = counted.reduce((sum, [, count]) => sum + count, 0);
  if (form === 'other' || form === 'document') {
    notes.push(`${path} is left out: it holds lists of documents, or documents of no fixed shape`);
    return [];
  }
  const typed = typeOf(seen, form, total);
  if (most < total)
    notes.push(
      `${path} holds ${counted.map(([each, count]) => `${count} × ${each}`).join(', ')}: figures leave the others out`,
    );
  if (typed.options)
    notes.push(`${path} is a select of the ${typed.options.length} texts in ${rows} rows: others cannot be asked for`);
  const name = claimName(identifierFrom(path), taken);
  return [{ name, ...typed, ...(name !== path && { path }) }];
}

function typeOf(seen: Seen, form: Exclude<Form, 'other' | 'document'>, total: number): Omit<NewField, 'name' | 'path'> {
  switch (form) {
    case 'text':
      return textType(seen, total);
    case 'number':
      return { type: moneyWords.test(seen.path.slice(seen.path.lastIndexOf('.') + 1)) ? 'price' : 'number' };
    case 'decimal':
      return { type: 'price', stored: 'decimal' };
    case 'objectId':
      return { type: 'relation', stored: 'objectId' };
    case 'list':
      return { type: 'string', multiple: true };
    case 'date':
    case 'boolean':
      return { type: form };
  }
}

function textType({ texts, longest }: Seen, total: number): { type: DataType; options?: readonly string[] } {
  const all = [...(texts ?? [])];
  const few = all.length > 0 && all.length <= maxOptions && total >= all.length * 5 && longest <= 40;
  if (all.length > 0 && all.every((text) => email.test(text))) return { type: 'email' };
  if (all.length > 0 && all.every((text) => url.test(text))) return { type: 'url' };
  if (few && all.every((text) => text.trim() === text && text !== '')) return { type: 'select', options: all.sort() };
  return { type: longest > 500 ? 'rich_text' : 'string' };
}
