/** Collects schemas that carry an id (`.meta({ id })`) into the document's components, each written once. */
import { InvariantError, canonicalJson } from '@platform/kernel';
import type { z } from 'zod';
import { jsonSchemaOf, type JsonSchema } from './json-schema';

export interface Components {
  /** The schema with references to components; `inline` keeps its own top level in place. */
  schemaOf(schema: z.ZodType, top?: 'inline'): JsonSchema;
  /** All components so far, sorted by name. */
  all(): Readonly<Record<string, JsonSchema>>;
}

type Put = (id: string, schema: JsonSchema) => void;

/**
 * References name components. Definitions become components wherever they are, because a described part brings its own.
 */
function hoist(value: unknown, put: Put): unknown {
  if (Array.isArray(value)) return value.map((each) => hoist(each, put));
  if (typeof value !== 'object' || value === null) return value;
  const { $defs = {}, ...own } = value as JsonSchema & { $defs?: Record<string, JsonSchema> };
  for (const [name, { id: _id, ...definition }] of Object.entries($defs)) {
    put(name, hoist(definition, put) as JsonSchema);
  }
  return Object.fromEntries(
    Object.entries(own).map(([key, child]) => [
      key,
      key === '$ref' && typeof child === 'string'
        ? child.replace(/^#\/\$defs\//, '#/components/schemas/')
        : hoist(child, put),
    ]),
  );
}

/** Throws InvariantError from `schemaOf` when two different schemas carry the same id. */
export function createComponents(given: Readonly<Record<string, JsonSchema>>): Components {
  const components = new Map<string, JsonSchema>(Object.entries(given));
  const put: Put = (id, schema) => {
    const present = components.get(id);
    if (present && canonicalJson(present) !== canonicalJson(schema)) {
      throw new InvariantError(`two different schemas are called ${id}`);
    }
    components.set(id, schema);
  };
  return {
    schemaOf: (schema, top) => {
      const { id, ...rest } = jsonSchemaOf(schema);
      const own = hoist(rest, put) as JsonSchema;
      if (typeof id !== 'string' || top === 'inline') return own;
      put(id, own);
      return { $ref: `#/components/schemas/${id}` };
    },
    all: () => Object.fromEntries([...components].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}
