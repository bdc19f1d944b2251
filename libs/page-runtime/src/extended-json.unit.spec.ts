import { Long } from 'bson';
import { extendedJson } from './extended-json';

describe('extended JSON', () => {
  it('keeps what JSON would lose', () => {
    const pipeline = [
      { $match: { at: { $gte: new Date(0) } } },
      { $group: { _id: null, y: { $sum: { $lt: ['$total', Infinity] } } } },
    ];
    expect(JSON.parse(JSON.stringify(extendedJson(pipeline)))).toEqual([
      { $match: { at: { $gte: { $date: '1970-01-01T00:00:00.000Z' } } } },
      { $group: { _id: null, y: { $sum: { $lt: ['$total', { $numberDouble: 'Infinity' }] } } } },
    ]);
    expect(extendedJson({ a: 7n, b: Long.MAX_VALUE, c: -Infinity, d: undefined, e: new Date(Number.NaN) })).toEqual({
      a: { $numberLong: '7' },
      b: { $numberLong: '9223372036854775807' },
      c: { $numberDouble: '-Infinity' },
      d: null,
      e: { $date: null },
    });
  });
});
