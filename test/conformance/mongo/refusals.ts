/** Features that the store refuses, each with a command that shows it and the code that MongoDB's clients know. */
export interface Refusal {
  feature: string;
  /** A command on the database `refusals`, whose collection `c` contains one document. */
  command: Record<string, unknown>;
  code: number;
}

const find = (rest: Record<string, unknown>): Record<string, unknown> => ({ find: 'c', ...rest });
const pipeline = (...stages: unknown[]): Record<string, unknown> => ({ aggregate: 'c', pipeline: stages, cursor: {} });
const index = (rest: Record<string, unknown>): Record<string, unknown> => ({
  createIndexes: 'c',
  indexes: [{ name: 'x', ...rest }],
});

export const refusals: readonly Refusal[] = [
  { feature: 'retryable writes', command: { insert: 'c', documents: [{}], txnNumber: 1 }, code: 20 },
  { feature: 'transactions', command: { commitTransaction: 1, autocommit: false }, code: 20 },
  {
    feature: 'write concern above one node',
    command: { insert: 'c', documents: [{}], writeConcern: { w: 2 } },
    code: 2,
  },
  { feature: 'collation', command: find({ collation: { locale: 'de' } }), code: 238 },
  { feature: '`min`, `max`, `returnKey`, `showRecordId` of find', command: find({ returnKey: true }), code: 238 },
  { feature: 'tailable cursors', command: find({ tailable: true }), code: 2 },
  {
    feature: 'capped collections, views, validators, time series',
    command: { create: 'x', capped: true, size: 4096 },
    code: 238,
  },
  { feature: 'text search', command: find({ filter: { $text: { $search: 'x' } } }), code: 27 },
  { feature: 'geo queries', command: find({ filter: { at: { $near: [0, 0] } } }), code: 2 },
  { feature: 'server-side JavaScript', command: find({ filter: { $where: 'true' } }), code: 2 },
  { feature: 'bit tests (`$bitsAllSet` …)', command: find({ filter: { a: { $bitsAllSet: 1 } } }), code: 2 },
  { feature: '`$jsonSchema`', command: find({ filter: { $jsonSchema: {} } }), code: 2 },
  {
    feature: '`$bit` and other unlisted update operators',
    command: { update: 'c', updates: [{ q: {}, u: { $bit: { a: { and: 1 } } } }] },
    code: 9,
  },
  { feature: 'text, hashed, geo indexes', command: index({ key: { a: 'text' } }), code: 67 },
  { feature: 'wildcard indexes', command: index({ key: { '$**': 1 } }), code: 67 },
  { feature: 'index collation', command: index({ key: { a: 1 }, collation: { locale: 'de' } }), code: 67 },
  {
    feature: 'unlisted stages (`$out`, `$merge`, `$graphLookup`, `$bucket`, `$setWindowFields`, `$changeStream` …)',
    command: pipeline({ $merge: 'x' }),
    code: 40324,
  },
  { feature: 'unlisted expression operators', command: pipeline({ $project: { a: { $sqrt: '$a' } } }), code: 168 },
  {
    feature: 'unlisted accumulators',
    command: pipeline({ $group: { _id: null, a: { $stdDevPop: '$a' } } }),
    code: 15952,
  },
  { feature: 'aggregation without a collection', command: { aggregate: 1, pipeline: [], cursor: {} }, code: 9 },
  {
    feature: 'PCRE without JavaScript equivalent (`\\p`, conditionals, recursion, backtracking verbs)',
    command: find({ filter: { a: { $regex: '(?R)' } } }),
    code: 51091,
  },
  {
    feature: 'date strings in other forms than ISO 8601',
    command: pipeline({ $project: { d: { $toDate: 'March 5, 2024' } } }),
    code: 238,
  },
  { feature: 'snapshot read concern', command: find({ readConcern: { level: 'snapshot' } }), code: 246 },
  { feature: 'user management commands', command: { createUser: 'x', pwd: 'y', roles: [] }, code: 59 },
  { feature: 'any other command', command: { mapReduce: 'c' }, code: 59 },
];
