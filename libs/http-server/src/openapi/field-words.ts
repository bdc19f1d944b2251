/**
 * Descriptions and examples of fields, written once for all shapes with the field. A schema without its own takes them
 * from the interface's list, by the field's name or by its parent's name and its own.
 */
import type { JsonSchema } from './json-schema';

/** By `name` or `parent.name`. */
export type FieldWords = Readonly<Record<string, { readonly text: string; readonly example?: unknown }>>;

type Schemas = Readonly<Record<string, JsonSchema>>;

const isObject = (value: unknown): value is JsonSchema => typeof value === 'object' && value !== null;
const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

function wordOf(words: FieldWords, parent: string, name: string): FieldWords[string] | undefined {
  return [`${parent}.${name}`, name].map((key) => (Object.hasOwn(words, key) ? words[key] : undefined)).find(Boolean);
}

/** The schema with a description for each field that has none and is in the list. `parent` is the schema's owner. */
export function worded(schema: JsonSchema, words: FieldWords, parent: string): JsonSchema {
  const below = (child: unknown): unknown => (isObject(child) ? worded(child, words, parent) : child);
  const entries = Object.entries(schema).map(([keyword, value]): [string, unknown] => {
    if (keyword === 'properties') return [keyword, wordedFields(value as Schemas, words, parent)];
    if (['items', 'additionalProperties'].includes(keyword)) return [keyword, below(value)];
    if (['anyOf', 'oneOf', 'allOf'].includes(keyword)) return [keyword, asList(value).map(below)];
    return [keyword, value];
  });
  return Object.fromEntries(entries);
}

function wordedFields(fields: Schemas, words: FieldWords, parent: string): Schemas {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => {
      const own = worded(field, words, name);
      const word = own['description'] === undefined ? wordOf(words, parent, name) : undefined;
      return [name, word ? { ...own, description: word.text } : own];
    }),
  );
}

/** Whether a value has the schema's type; used to choose an example, not to validate one. */
function fits(schema: JsonSchema, value: unknown): boolean {
  const types = Array.isArray(schema['type']) ? schema['type'] : [schema['type']];
  const own = Array.isArray(value) ? 'array' : Number.isInteger(value) ? 'integer' : typeof value;
  const { enum: listed, pattern, minimum, format } = schema;
  if (Array.isArray(listed) && !listed.includes(value)) return false;
  if (typeof pattern === 'string' && typeof value === 'string' && !new RegExp(pattern, 'u').test(value)) return false;
  if (typeof minimum === 'number' && typeof value === 'number' && value < minimum) return false;
  if (format === 'date-time' && Number.isNaN(Date.parse(String(value)))) return false;
  return types.includes(own) || (own === 'integer' && types.includes('number'));
}

const instant = '2026-03-02T08:00:00.000Z';

/** One value that matches the schema, built from the examples and descriptions of its fields. */
export function exampleOf(schema: JsonSchema, schemas: Schemas, words: FieldWords, name = '', parent = ''): unknown {
  const { $ref: reference, const: constant, enum: listed, default: standard } = schema;
  if (typeof reference === 'string') {
    const target = reference.replace(/^.*\//, '');
    return exampleOf(schemas[target] ?? {}, schemas, words, target, parent);
  }
  const word = wordOf(words, parent, name)?.example;
  const said = [asList(schema['examples'])[0], schema['example'], constant, word].find(
    (value) => value !== undefined && (value === constant || fits(schema, value)),
  );
  if (said !== undefined) return said;
  if (Array.isArray(listed)) return listed[0];
  if (standard !== undefined) return standard;
  const alternative = [...asList(schema['anyOf']), ...asList(schema['oneOf'])].find(isObject);
  return alternative ? exampleOf(alternative, schemas, words, name, parent) : madeOf(schema, schemas, words, name);
}

function madeOf(schema: JsonSchema, schemas: Schemas, words: FieldWords, name: string): unknown {
  const [type] = Array.isArray(schema['type']) ? schema['type'] : [schema['type']];
  switch (type) {
    case 'string':
      return schema['format'] === 'date-time' ? instant : schema['format'] === 'uri' ? 'https://example.com/' : name;
    case 'integer':
    case 'number':
      return typeof schema['minimum'] === 'number' ? Math.max(1, schema['minimum']) : 1;
    case 'boolean':
      return true;
    case 'array':
      return [exampleOf((schema['items'] ?? {}) as JsonSchema, schemas, words, name, name)];
    case 'object':
      return objectOf(schema, schemas, words, name);
    default:
      return null;
  }
}

/** Required fields, and those optional ones that the list names together with their parent. */
function objectOf(schema: JsonSchema, schemas: Schemas, words: FieldWords, name: string): unknown {
  const required = new Set(asList(schema['required']));
  const fields = Object.entries((schema['properties'] ?? {}) as Schemas).filter(([field, own]) => {
    const example = words[`${name}.${field}`]?.example;
    return required.has(field) || (example !== undefined && fits(own, example));
  });
  return Object.fromEntries(fields.map(([field, own]) => [field, exampleOf(own, schemas, words, field, name)]));
}
