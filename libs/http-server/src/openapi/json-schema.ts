/**
 * JSON Schema 2020-12 of what goes over the wire. Answers are encoded by their schema before they leave, so for both
 * directions the wire is the schema's input side; an instant is a text in ISO 8601.
 */
import { z } from 'zod';

export type JsonSchema = { [keyword: string]: unknown };

/** The schema of a request part or answer; members with an id stand under `$defs`. */
export function jsonSchemaOf(schema: z.ZodType): JsonSchema {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema._zod.def.type === 'date') Object.assign(jsonSchema, { type: 'string', format: 'date-time' });
    },
  }) as JsonSchema;
  return rest;
}
