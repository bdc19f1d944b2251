import { decodeDoc } from '../bson/decode';
import { createRowReader } from '../bson/row-reader';
import { encodeDoc } from '../bson/encode';
import type { Doc, Value } from '../bson/values';
import { Binary, BsonDate, Code, Int32, ObjectId, Regex, Timestamp } from '../bson/values';
import { neededFields } from './needed-fields';

type Plain = null | boolean | number | string | readonly Plain[] | { readonly [name: string]: Plain };

/** A pipeline as the server receives it. */
function valueOf(plain: Plain): Value {
  if (typeof plain !== 'object' || plain === null) return plain;
  if (Array.isArray(plain)) return plain.map((each: Plain) => valueOf(each));
  return new Map(Object.entries(plain).map(([name, value]) => [name, valueOf(value)]));
}
const needed = (...stages: readonly Plain[]) => {
  const found = neededFields(stages.map((stage) => valueOf(stage) as Doc));
  return found && [...found].sort();
};
const fieldsOf = (stored: Buffer, names: readonly string[], row: Doc = new Map()): Doc => {
  createRowReader([...new Set(names)].map((name) => ({ name, keep: true, conditions: [] })))(stored, row);
  return row;
};
const group = (spec: Plain): Plain => ({ $group: spec });

describe('the fields that a pipeline can see', () => {
  it.each<[string, readonly Plain[], readonly string[]]>([
    [
      'those of filters, keys and measures',
      [{ $match: { a: 1, 'b.c': 2 } }, group({ _id: '$d.e', y: { $sum: '$f' } })],
      ['a', 'b', 'd', 'f'],
    ],
    [
      'those of alternatives and expressions',
      [{ $match: { $or: [{ a: 1 }, { $and: [{ b: 2 }] }], $expr: { $gt: ['$c', 1] } } }, { $count: 'n' }],
      ['a', 'b', 'c'],
    ],
    [
      'those of an order, before a cut',
      [{ $sort: { 'a.b': 1 } }, { $limit: 3 }, group({ _id: null, y: { $first: '$c' } })],
      ['a', 'c'],
    ],
    ['those behind variables', [group({ _id: { $let: { vars: { p: '$a' }, in: '$$p.year' } } })], ['a']],
    ['none', [group({ _id: null, n: { $sum: 1 } })], []],
  ])('are %s', (_name, stages, names) => {
    expect(needed(...stages)).toEqual(names);
  });

  it.each<[string, readonly Plain[]]>([
    ['hands documents on', [{ $match: { a: 1 } }]],
    ['looks at whole documents', [group({ _id: null, all: { $push: '$$ROOT' } })]],
    ['looks at them by another name', [group({ _id: '$$CURRENT.a' })]],
    ['binds that name again', [group({ _id: { $let: { vars: { CURRENT: '$a' }, in: '$b' } } })]],
    ['changes them before it groups', [{ $set: { a: 1 } }, group({ _id: '$a' })]],
    ['has a filter of another kind', [{ $match: { $where: 'this.a' } }, group({ _id: null })]],
  ])('are all where a pipeline %s', (_name, stages) => {
    expect(needed(...stages)).toBeUndefined();
  });
});

describe('some fields of a stored document', () => {
  const whole: Doc = new Map<string, Value>([
    ['text', 'héllo'],
    ['double', 1.5],
    ['int', new Int32(7)],
    ['long', 7n],
    ['nested', new Map<string, Value>([['inner', 'x']])],
    ['list', [1, 'two', null]],
    ['bytes', new Binary(0, Buffer.from([1, 2, 3]))],
    ['id', new ObjectId('0123456789abcdef01234567')],
    ['truth', true],
    ['date', new BsonDate(5n)],
    ['nothing', null],
    ['pattern', new Regex('a.b', 'i')],
    ['code', new Code('f()')],
    ['scoped', new Code('g()', new Map<string, Value>([['v', 1]]))],
    ['stamp', new Timestamp(9n)],
    ['last', 'end'],
  ]);
  const bytes = encodeDoc(whole);

  it.each([...whole.keys()])('are read as in the whole document, whatever is passed over: %s', (name) => {
    const decoded = decodeDoc(bytes);
    expect(fieldsOf(bytes, [name])).toEqual(new Map([[name, decoded.get(name)]]));
    expect(fieldsOf(bytes, [name, 'last'])).toEqual(
      new Map([...decoded].filter(([each]) => each === name || each === 'last')),
    );
  });

  it('are none where the document has none of them', () => {
    expect(fieldsOf(bytes, ['absent']).size).toBe(0);
    expect(fieldsOf(bytes, []).size).toBe(0);
  });

  it('are refused where the bytes end early', () => {
    expect(() => fieldsOf(bytes.subarray(0, 40), ['last'])).toThrow(/Invalid BSON/);
  });
});
