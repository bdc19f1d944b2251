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
