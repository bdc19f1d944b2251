/**
 * Values for generated requests: such that fit their schema, such that do not, and those that earlier answers named, so
 * that a request reaches what exists, also in another place than its own.
 */
import type { Random } from '@platform/testing';
import { resolveReference, type OpenApi, type Schema } from './openapi';

/**
 * Values that have broken servers before: prototypes, store operators, dates out of range, control and bidirectional
 * characters.
 */
const hostileTexts = [
  '',
  ' ',
  '\u0000',
  '\u202eevil',
  '../../etc/passwd',
  '..%2f..%2fetc',
  '%00',
  '%',
  '__proto__',
  'constructor',
  '$where',
  '{"$gt":""}',
  "' OR 1=1 --",
  '<script>alert(1)</script>',
  'x'.repeat(10_000),
  'ä'.repeat(500),
  '\ud800',
  '1e400',
  '9999-12-31T23:59:59.999Z',
  '+275760-09-13T00:00:00.001Z',
  '-1',
  '0x10',
  'NaN',
];
const hostileValues: readonly unknown[] = [
  ...hostileTexts,
  null,
  true,
  -1,
  0,
  0.1,
  1e308,
  Number.MAX_SAFE_INTEGER + 2,
  8.64e15 + 1,
  [],
  {},
  [[[[]]]],
  { $gt: '' },
  { $ne: null },
  { constructor: { prototype: { admin: true } } },
];

export interface Values {
  /** A value that fits the schema of the field; another one at this rate, from 0 to 1, at each of its parts. */
  of(field: string, schema: Schema | undefined, hostile: number): unknown;
  /** A text that fits no field. */
  hostile(): string;
  /** Keeps the texts of an answer by the names of their fields. */
  learn(answer: unknown): void;
}

const texts = { longest: 200, perField: 50 } as const;

/** `own`: a workspace that may be harmed. */
export function createValues(document: OpenApi, random: Random, own: string): Values {
  const learned = new Map<string, string[]>();

  function textOf(field: string, { format, example }: Schema): string {
    if (format === 'date-time') return new Date(Date.UTC(2026, random.below(24), 1)).toISOString();
    if (format === 'date') return '2026-01-01';
    if (format === 'email') return 'a@example.com';
    const known = learned.get(field);
    if (known && random.next() < 0.5) return random.pick(known);
    if (typeof example === 'string' && random.next() < 0.5) return example;
    return random.pick([own, `redteam-${random.below(1_000_000_000).toString(36)}`, 'outage', 'pro']);
  }

  function valueOf(field: string, given: Schema | undefined, hostile: number, depth: number): unknown {
    if (!given || random.next() < hostile || depth > 6) return random.pick(hostileValues);
    const schema = resolveReference<Schema>(document, given);
    const choices = schema.anyOf ?? schema.oneOf;
    if (choices && choices.length > 0) return valueOf(field, random.pick(choices), hostile, depth + 1);
    if (schema.const !== undefined) return schema.const;
    if (schema.enum && schema.enum.length > 0) return random.pick(schema.enum);
    const type = Array.isArray(schema.type) ? random.pick(schema.type as readonly string[]) : schema.type;
    switch (type) {
      case 'object':
        return Object.fromEntries(
          Object.entries(schema.properties ?? {})
            .filter(() => random.next() < 0.9)
            .map(([name, member]) => [name, valueOf(name, member, hostile, depth + 1)]),
        );
      case 'array':
        return Array.from({ length: random.below(4) }, () => valueOf(field, schema.items, hostile, depth + 1));
      case 'integer':
      case 'number':
        return random.pick([1, 2, 100, 999_999, random.below(1_000_000)]);
      case 'boolean':
        return random.next() < 0.5;
      case 'null':
        return null;
      default:
        return textOf(field, schema);
    }
  }

  function learn(answer: unknown, field = ''): void {
    if (typeof answer === 'object' && answer !== null) {
      for (const [name, member] of Object.entries(answer)) learn(member, Array.isArray(answer) ? field : name);
      return;
    }
    if (typeof answer !== 'string' || answer === '' || answer.length > texts.longest) return;
    const known = learned.get(field) ?? [];
    if (known.includes(answer)) return;
    if (known.length < texts.perField) known.push(answer);
    else known[random.below(texts.perField)] = answer;
    learned.set(field, known);
  }

  return {
    of: (field, schema, hostile) => valueOf(field, schema, hostile, 0),
    hostile: () => random.pick(hostileTexts),
    learn: (answer) => learn(answer),
  };
}
