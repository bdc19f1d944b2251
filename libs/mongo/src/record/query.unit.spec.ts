import type { Filter, FindOptions, IndexDeclaration } from '../port';
import { listQuery } from './query';

const serve = (indexes: readonly Omit<IndexDeclaration, 'name'>[], filter: Filter, sort?: FindOptions['sort']) => () =>
  listQuery({ name: 'jobs', indexes: indexes.map((index, at) => ({ name: `index_${at}`, ...index })) }, filter, {
    limit: 10,
    ...(sort ? { sort } : {}),
  });

describe('a list is served', () => {
  it.each<[string, readonly Omit<IndexDeclaration, 'name'>[], Filter, FindOptions['sort']]>([
    ['by the primary key alone', [], {}, { _id: 1 }],
    ['by the primary key in reverse', [], {}, { _id: -1 }],
    ['by the primary key from a bound on', [], { _id: { $gt: 'a' }, status: 'open' }, { _id: 1 }],
    [
      'in the order of the ids when another index narrows it down',
      [{ key: { status: 1, rank: 1 } }],
      { status: 'open' },
      { _id: 1 },
    ],
    ['when the id is fixed, in any order', [], { _id: { $in: ['a', 'b'] } }, { rank: 1, _id: 1 }],
    [
      'by fixed fields followed by the order',
      [{ key: { tenantId: 1, status: 1, createdAt: -1, _id: -1 } }],
      { tenantId: 't', status: 'open' },
      { createdAt: -1, _id: -1 },
    ],
    [
      'by an index read backwards',
      [{ key: { tenantId: 1, createdAt: -1, _id: -1 } }],
      { tenantId: 't' },
      { createdAt: 1, _id: 1 },
    ],
    [
      'by several fixed values, whose scans are merged',
      [{ key: { status: 1, createdAt: 1, _id: 1 } }],
      { status: { $in: ['a', 'b'] } },
      { createdAt: 1, _id: 1 },
    ],
    [
      'with a bound on the first key of the order',
      [{ key: { dueAt: 1, _id: 1 } }],
      { dueAt: { $lte: new Date(0) } },
      { dueAt: 1, _id: 1 },
    ],
    [
      'with filters beside the index',
      [{ key: { createdAt: 1, _id: 1 } }],
      { status: 'open' },
      { createdAt: 1, _id: 1 },
    ],
    [
      'with a fixed field inside the order',
      [{ key: { tenantId: 1, createdAt: 1, _id: 1 } }],
      { tenantId: 't' },
      { tenantId: 1, createdAt: 1, _id: 1 },
    ],
    ['by a unique key that is fixed', [{ key: { a: 1, b: 1 }, unique: true }], { a: 1, b: 2 }, { _id: 1 }],
    [
      'by a partial index whose value the filter names',
      [{ key: { dueAt: 1, _id: 1 }, only: { status: 'due' } }],
      { status: 'due' },
      { dueAt: 1, _id: 1 },
    ],
    [
      'by a partial index on existence when the filter names a value',
      [{ key: { a: 1 }, unique: true, only: { a: { $exists: true } } }],
      { a: 'x' },
      { _id: 1 },
    ],
    [
      'by a partial index on existence when the filter bounds the value',
      [{ key: { a: 1, _id: 1 }, only: { a: { $exists: true } } }],
      { a: { $gt: 1 } },
      { a: 1, _id: 1 },
    ],
    [
      'by a partial index on existence when the filter names several values',
      [{ key: { b: 1, _id: 1 }, only: { a: { $exists: true } } }],
      { a: { $in: [1, 2] } },
      { b: 1, _id: 1 },
    ],
    [
      'by a partial index on bounds that the filter repeats',
      [{ key: { b: 1, _id: 1 }, only: { a: { $gt: 1 } } }],
      { a: { $gt: 1 } },
      { b: 1, _id: 1 },
    ],
  ])('%s', (_case, indexes, filter, sort) => {
    expect(serve(indexes, filter, sort)).not.toThrow();
  });
});

describe('a list is refused', () => {
  it.each<[string, readonly Omit<IndexDeclaration, 'name'>[], Filter, FindOptions['sort']]>([
    [
      'when the index ends before the order does',
      [{ key: { tenantId: 1 } }],
      { tenantId: 't' },
      { createdAt: 1, _id: 1 },
    ],
    [
      'when a key comes between that nothing fixes',
      [{ key: { tenantId: 1, status: 1, rank: 1, _id: 1 } }],
      { tenantId: 't' },
      { rank: 1, _id: 1 },
    ],
    [
      'when a bound comes before the order',
      [{ key: { dueAt: 1, _id: 1 } }],
      { dueAt: { $lte: new Date(0) } },
      { rank: 1, _id: 1 },
    ],
    [
      'when only the order of the ids is there for a filter',
      [{ key: { rank: 1, status: 1 } }],
      { status: 'open' },
      { _id: 1 },
    ],
    ['when directions mix otherwise', [{ key: { a: 1, _id: 1 } }], {}, { a: 1, _id: -1 }],
    [
      'when several values are fixed inside the order',
      [{ key: { a: 1, _id: 1 } }],
      { a: { $in: [1, 2] } },
      { b: 1, _id: 1 },
    ],
    [
      'when null would fall outside a partial index',
      [{ key: { a: 1, b: 1, _id: 1 }, only: { a: { $exists: true } } }],
      { a: null },
      { b: 1, _id: 1 },
    ],
    [
      'when one of several values would fall outside a partial index',
      [{ key: { b: 1, _id: 1 }, only: { a: { $exists: true } } }],
      { a: { $in: [1, null] } },
      { b: 1, _id: 1 },
    ],
    [
      'when the filter says nothing about what a partial index holds',
      [{ key: { b: 1, _id: 1 }, only: { a: 1 } }],
      { a: { $ne: 2 } },
      { b: 1, _id: 1 },
    ],
  ])('%s', (_case, indexes, filter, sort) => {
    expect(serve(indexes, filter, sort)).toThrow('no declared index serves');
  });
});
