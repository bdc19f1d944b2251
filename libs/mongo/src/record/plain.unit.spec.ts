import fc from 'fast-check';
import { changesBetween } from './changes';
import { samePlain, toPlain, type Plain } from './plain';

const stamped = { revision: 'r', createdAt: new Date(0), updatedAt: new Date(0) };
const plain = (): fc.Arbitrary<Plain> =>
  fc.letrec<{ value: Plain }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.constant(null),
      fc.boolean(),
      fc.string(),
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.date({ noInvalidDate: true }),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(
        fc.string().filter((key) => key !== '__proto__' && !key.includes('\0')),
        tie('value'),
        { maxKeys: 4 },
      ),
    ),
  })).value;

describe('plain values', () => {
  it('are equal to their copies and not to a copy with one more member', () => {
    fc.assert(
      fc.property(plain(), (value) => {
        expect(samePlain(value, toPlain(value, 'value'))).toBe(true);
        expect(samePlain([value], [value, null])).toBe(false);
        expect(samePlain({ a: value }, { a: value, b: null })).toBe(false);
      }),
    );
  });

  it.each<[string, Plain, Plain]>([
    ['an array and an object', [], {}],
    ['a date and its text', new Date(0), '1970-01-01T00:00:00.000Z'],
    ['a date and its number', new Date(0), 0],
    ['null and an empty object', null, {}],
    ['other members with equal values', { a: 1 }, { b: 1 }],
    ['other orders of an array', [1, 2], [2, 1]],
  ])('differ as %s', (_case, a, b) => {
    expect(samePlain(a, b)).toBe(false);
    expect(samePlain(b, a)).toBe(false);
  });

  it('do not care about the order of keys', () => {
    expect(samePlain({ a: 1, b: { c: 2, d: 3 } }, { b: { d: 3, c: 2 }, a: 1 })).toBe(true);
  });
});

describe('the changes between two forms of a record', () => {
  it('are the fields that differ and those that vanished, never the stamped ones', () => {
    const current = { _id: 'a', same: [{ x: 1 }], other: 1, gone: true, ...stamped, outbox: [{ id: 'm' }] };
    const next = {
      ...stamped,
      revision: 'mine',
      _id: 'a',
      same: [{ x: 1 }],
      other: 2,
      fresh: { y: undefined },
      gone: undefined,
      outbox: [],
    };
    expect(changesBetween('jobs', current, next)).toEqual({ set: { other: 2, fresh: {} }, unset: ['gone'] });
  });

  it('refuse a new value that cannot be stored, and a name that cannot be a field', () => {
    const current = { _id: 'a', ...stamped, kept: new Date(0) };
    expect(() => changesBetween('jobs', current, { ...current, fresh: [Number.NaN] })).toThrow(
      'jobs.fresh.0: a number that is not finite cannot be stored',
    );
    expect(() => changesBetween('jobs', current, { ...current, 'a.b': 1 })).toThrow(
      'jobs: a field cannot be called "a.b"',
    );
    expect(() => changesBetween('jobs', current, { ...current, _id: 'b' })).toThrow(
      'jobs: a record cannot change its _id',
    );
  });

  it('copy what they set, so that a later change of the draft changes nothing', () => {
    const steps = [{ name: 'first' }];
    const { set } = changesBetween('jobs', { _id: 'a', ...stamped }, { _id: 'a', steps });
    steps[0]!.name = 'changed';
    expect(set).toEqual({ steps: [{ name: 'first' }] });
  });

  it('lead from one form to the other, for any fields', () => {
    const fields = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), plain());
    fc.assert(
      fc.property(fields, fields, (before, after) => {
        const { set, unset } = changesBetween('jobs', { _id: 'x', ...stamped, ...before }, { _id: 'x', ...after });
        const kept = Object.entries(before).filter(([name]) => !unset.includes(name));
        expect(samePlain({ ...Object.fromEntries(kept), ...set }, toPlain(after, 'after'))).toBe(true);
      }),
    );
  });
});
