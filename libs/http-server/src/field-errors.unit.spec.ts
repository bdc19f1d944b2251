import { z } from 'zod';
import { fieldErrors, type RequestPart } from './field-errors';

function pointersOf(schema: z.ZodType, value: unknown, part: RequestPart = 'body'): string[] {
  const parsed = schema.safeParse(value);
  return parsed.success ? [] : fieldErrors(part, parsed.error.issues).map(({ pointer }) => pointer);
}

describe('field errors', () => {
  it('point into lists and escape names', () => {
    const schema = z.strictObject({ list: z.array(z.strictObject({ 'a/b~c': z.int() })) });
    expect(pointersOf(schema, { list: [{ 'a/b~c': 1 }, { 'a/b~c': 'x' }] })).toEqual(['/list/1/a~1b~0c']);
  });

  it('name each unknown field', () => {
    expect(pointersOf(z.strictObject({}), { a: 1, b: 2 })).toEqual(['/a', '/b']);
    expect(pointersOf(z.strictObject({}), { a: 1 }, 'query')).toEqual(['/query/a']);
  });

  it('point to the whole body when it is of another kind', () => {
    expect(pointersOf(z.strictObject({}), [])).toEqual(['']);
  });

  it('follow the one branch of a union that nearly fits, else name the union', () => {
    const nearly = z.strictObject({ value: z.union([z.strictObject({ a: z.int(), b: z.int() }), z.string()]) });
    expect(pointersOf(nearly, { value: { a: 1, b: 'x' } })).toEqual(['/value']);
    const discriminated = z.discriminatedUnion('kind', [
      z.strictObject({ kind: z.literal('a'), n: z.int() }),
      z.strictObject({ kind: z.literal('b') }),
    ]);
    expect(pointersOf(discriminated, { kind: 'a', n: 'x' })).toEqual(['/n']);
    expect(pointersOf(discriminated, { kind: 'c' })).toEqual(['/kind']);
    const unlike = z.union([z.strictObject({ a: z.int() }), z.strictObject({ b: z.int(), c: z.int(), d: z.int() })]);
    expect(pointersOf(unlike, { a: 'x' })).toEqual(['/a']);
  });

  it('stay few and short, whatever is sent', () => {
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`field${index}`, 1]));
    expect(pointersOf(z.strictObject({}), many)).toHaveLength(50);
    expect(pointersOf(z.strictObject({}), { ['x'.repeat(5_000)]: 1 })[0]!.length).toBeLessThanOrEqual(201);
  });

  it.each<[z.ZodType, unknown, string]>([
    [z.string().min(1), '', 'must have at least 1 character'],
    [z.string().max(2), 'abc', 'must have at most 2 characters'],
    [z.array(z.int()).min(2), [1], 'must have at least 2 items'],
    [z.number().min(1), 0, 'must be at least 1'],
    [z.number().gt(1), 1, 'must be more than 1'],
    [z.enum(['a', 'b']), 'c', 'must be one of a, b'],
    [z.literal('a'), 'c', 'must be a'],
    [z.iso.datetime(), 'friday', 'must be an instant in ISO 8601, for example 2026-01-31T00:00:00Z'],
    [z.email(), 'x', 'must be an e-mail address'],
    [z.string(), 1, 'must be of type string'],
    [z.int(), 1.5, 'must be a whole number'],
    [z.int(), '1', 'must be of type number'],
    [z.record(z.string(), z.string()), [], 'must be of type object'],
    [z.string(), undefined, 'is missing'],
    [z.string().min(1, 'must be a name'), '', 'must be a name'],
    [z.string().regex(/^z$/), 'y', 'has another form than is allowed here'],
    [z.string().regex(/^z$/, 'must be z'), 'y', 'must be z'],
    [z.union([z.int(), z.boolean()]), 'x', 'is of none of the kinds that are allowed here'],
  ])('say in words what is wanted (%#)', (schema, value, message) => {
    const parsed = z.strictObject({ field: schema }).safeParse({ field: value });
    expect(parsed.success ? [] : fieldErrors('body', parsed.error.issues)).toEqual([{ pointer: '/field', message }]);
  });

  it('of a field that chooses among kinds name its values', () => {
    const chosen = z.discriminatedUnion('kind', [
      z.strictObject({ kind: z.literal('a') }),
      z.strictObject({ kind: z.enum(['b', 'c']) }),
    ]);
    const parsed = chosen.safeParse({ kind: 'd' });
    expect(parsed.success ? [] : fieldErrors('body', parsed.error.issues)).toEqual([
      { pointer: '/kind', message: 'must be one of a, b, c' },
    ]);
  });

  it('never repeat a value', () => {
    const schema = z.strictObject({
      a: z.enum(['x']),
      b: z.literal('y'),
      c: z.string().regex(/^z$/),
      d: z.email(),
      e: z.iso.datetime(),
    });
    const sent = { a: 'canary', b: 'canary', c: 'canary', d: 'canary', e: 'canary' };
    const parsed = schema.safeParse(sent);
    const errors = parsed.success ? [] : fieldErrors('body', parsed.error.issues);
    expect(errors).toHaveLength(5);
    expect(JSON.stringify(errors)).not.toContain('canary');
  });
});
