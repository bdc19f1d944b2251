/**
 * The JSON Schema of a template's parameters, derived from its ConfigSchema alone, so every editor has a form for a
 * template as soon as it is registered. Facts that JSON Schema cannot express (kinds of field, order of controls) are
 * added under `x-control`.
 */
import type { ConfigField, ConfigSchema } from '@platform/builder';
import { filterOps } from '@platform/page-runtime';
import { maxFilters } from './templates/where';

export type JsonSchema = Readonly<Record<string, unknown>>;

const binding: JsonSchema = {
  type: 'object',
  properties: {
    $param: {
      type: 'object',
      properties: { name: { type: 'string' }, in: { enum: ['query', 'param'] } },
      required: ['name'],
      additionalProperties: false,
    },
  },
  required: ['$param'],
  additionalProperties: false,
};

const filters: JsonSchema = {
  type: 'array',
  maxItems: maxFilters,
  items: {
    type: 'object',
    properties: {
      field: { type: 'string' },
      op: { enum: filterOps },
      value: { anyOf: [{ type: ['string', 'number', 'boolean'] }, binding] },
    },
    required: ['field', 'op', 'value'],
    additionalProperties: false,
  },
};

/** A parameter of an unknown type gets a text control, so that a newer template can still be edited. */
function propertyOf({ type, title, options, kinds, minimum, maximum, default: preset }: ConfigField): JsonSchema {
  const about = { title, ...(preset !== undefined && { default: preset }) };
  switch (type) {
    case 'option':
      return { ...about, 'x-control': 'option', enum: options ?? [] };
    case 'field':
      return { ...about, 'x-control': 'field', type: 'string', ...(kinds && { 'x-kinds': kinds }) };
    case 'integer':
      return {
        ...about,
        'x-control': 'integer',
        type: 'integer',
        ...(minimum !== undefined && { minimum }),
        ...(maximum !== undefined && { maximum }),
      };
    case 'filters':
      return { ...about, 'x-control': 'filters', ...filters };
    case 'timezone':
      return { ...about, 'x-control': 'timezone', type: 'string' };
    default:
      return { ...about, 'x-control': 'text', type: 'string' };
  }
}

/** JSON Schema (2020-12) of the `params` of a query; properties keep the order of the template. */
export function configJsonSchema(params: ConfigSchema): JsonSchema {
  const entries = Object.entries(params);
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: Object.fromEntries(entries.map(([name, field]) => [name, propertyOf(field)])),
    required: entries.filter(([, { required }]) => required).map(([name]) => name),
    additionalProperties: false,
  };
}
