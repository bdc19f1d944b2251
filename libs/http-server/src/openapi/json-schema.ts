/**
 * JSON Schema 2020-12 of the data on the wire. Answers are encoded by their schema before they are sent, so for both
 * directions the wire format is the schema's input side; an instant is a text in ISO 8601.
 */
import { z } from 'zod';

export type JsonSchema = { [keyword: string]: unknown };

/**
 * A schema never changes, so its conversion is cached: a server converts each several times, and a test opens hundreds
 * of servers.
 */
const converted = new WeakMap<z.ZodType, JsonSchema>();

/** The schema of a request part or answer, to be read only; members with an id are under `$defs`. */
export function jsonSchemaOf(schema: z.ZodType): JsonSchema {
  const known = converted.get(schema);
  if (known) return known;
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema._zod.def.type === 'date') Object.assign(jsonSchema, { type: 'string', format: 'date-time' });
    },
  }) as JsonSchema;
  converted.set(schema, rest);
  return rest;
}
