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

function rewriteReferences(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(rewriteReferences);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, child]) => [
      key,
      key === '$ref' && typeof child === 'string'
        ? child.replace(/^#\/\$defs\//, '#/components/schemas/')
        : rewriteReferences(child),
    ]),
  );
}

/** Throws InvariantError from `schemaOf` when two different schemas carry the same id. */
export function createComponents(given: Readonly<Record<string, JsonSchema>>): Components {
  const components = new Map<string, JsonSchema>(Object.entries(given));
  const put = (id: string, schema: JsonSchema): void => {
    const present = components.get(id);
    if (present && canonicalJson(present) !== canonicalJson(schema)) {
      throw new InvariantError(`two different schemas are called ${id}`);
    }
    components.set(id, schema);
  };
  return {
    schemaOf: (schema, top) => {
      const { $defs = {}, id, ...rest } = jsonSchemaOf(schema) as JsonSchema & { $defs?: Record<string, JsonSchema> };
      for (const [name, { id: _id, ...definition }] of Object.entries($defs)) {
        put(name, rewriteReferences(definition) as JsonSchema);
      }
      const own = rewriteReferences(rest) as JsonSchema;
      if (typeof id !== 'string' || top === 'inline') return own;
      put(id, own);
      return { $ref: `#/components/schemas/${id}` };
    },
    all: () => Object.fromEntries([...components].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}
