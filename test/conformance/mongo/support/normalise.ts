/**
 * Converts replies to the form of the golden vectors: messages and times are left out, and reply fields are in
 * alphabetical order.
 */
import type { Doc, Value } from '@platform/embedded-mongo';
import { Int32, stringifyExtendedJson } from '@platform/embedded-mongo';

export interface NormaliseOptions {
  /** The recorded reply, which shows whether the order of results matters. */
  expected: Doc;
  /** All batches when the cursor was read to its end. */
  pages: Value[][] | undefined;
  withBatches: boolean;
}

const leftOut = [
  'ok',
  '$clusterTime',
  'operationTime',
  'errmsg',
  'note',
  'commitQuorum',
  'electionId',
  'opTime',
  'lastOp',
];

function sortedFields(document: Doc): Doc {
  return new Map([...document].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
}

export function normalised(reply: Doc, options: NormaliseOptions): Value {
  if (isFailure(reply)) return new Map<string, Value>([['error', errorOf(reply)]]);
  const cursor = reply.get('cursor');
  if (cursor instanceof Map) return cursorReply(cursor, options);
  const rest = new Map([...reply].filter(([name]) => !leftOut.includes(name)));
  if (rest.has('values')) return unordered(rest, options);
  if (rest.has('writeErrors')) rest.set('writeErrors', (rest.get('writeErrors') as Doc[]).map(writeError));
  if (rest.has('databases')) rest.set('databases', (rest.get('databases') as Doc[]).map(databaseEntry));
  if (rest.has('lastErrorObject')) return rest;
  return options.expected.has('n') || options.expected.has('writeErrors') ? writeReply(rest) : sortedFields(rest);
}

const isFailure = (reply: Doc): boolean => Number(reply.get('ok')) === 0 || reply.get('ok') === 0;

function errorOf(reply: Doc): Doc {
  const names = ['code', 'codeName', 'keyPattern', 'keyValue'];
  return new Map(names.filter((name) => reply.has(name)).map((name) => [name, reply.get(name) as Value]));
}

const writeError = (error: Doc): Doc =>
  new Map(
    ['index', 'code', 'keyPattern', 'keyValue']
      .filter((name) => error.has(name))
      .map((name) => [name, error.get(name) as Value]),
  );

const databaseEntry = (entry: Doc): Doc => new Map([...entry].filter(([name]) => name === 'name'));

const writeFields = ['n', 'nModified', 'upserted', 'writeErrors'];
function writeReply(rest: Doc): Doc {
  const ordered = new Map(writeFields.filter((name) => rest.has(name)).map((name) => [name, rest.get(name) as Value]));
  for (const [name, value] of rest) if (!ordered.has(name)) ordered.set(name, value);
  return ordered;
}

const byText = (values: Value[]): Value[] =>
  values
    .map((value) => ({ value, text: stringifyExtendedJson(value) }))
    .sort((a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : 0))
    .map(({ value }) => value);

function unordered(rest: Doc, options: NormaliseOptions): Doc {
  const ordered = options.expected.get('ordered') === true;
  const values = rest.get('values') as Value[];
  return new Map<string, Value>([
    ['values', ordered ? values : byText(values)],
    ['ordered', ordered],
  ]);
}

function cursorReply(cursor: Doc, options: NormaliseOptions): Doc {
  const pages = options.pages ?? [(cursor.get('firstBatch') ?? cursor.get('nextBatch')) as Value[]];
  const described = pages
    .flat()
    .map((entry) => (isDescription(cursor, entry) ? sortedFields(withoutUuid(entry as Doc)) : entry));
  const ordered = options.expected.get('ordered') !== false;
  const result = new Map<string, Value>([
    ['batch', ordered ? described : byText(described)],
    ['ordered', ordered],
  ]);
  if (options.withBatches)
    result.set(
      'batches',
      pages.map((page) => countOf(page)),
    );
  if (options.expected.has('open')) result.set('open', cursor.get('id') !== 0n);
  return result;
}

/** Numbers in the vectors' own fields are plain 32-bit integers. */
const countOf = (page: Value[]): Value => new Int32(page.length);

const isDescription = (cursor: Doc, entry: Value): boolean =>
  entry instanceof Map &&
  (String(cursor.get('ns')).includes('$cmd.list') || (entry.has('v') && entry.has('key') && entry.has('name')));

function withoutUuid(entry: Doc): Doc {
  const info = entry.get('info');
  const result = new Map(entry);
  if (info instanceof Map) result.set('info', new Map([...info].filter(([name]) => name !== 'uuid')));
  return result;
}
