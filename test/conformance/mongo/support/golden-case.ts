/**
 * Replays golden vectors: one case is a set-up, a command (or a script of steps) and the recorded answer of a real server,
 * normalised as vectors/README.md describes.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Doc, RawClient, Value } from '@platform/embedded-mongo';
import { Int32, parseExtendedJson, stringifyExtendedJson } from '@platform/embedded-mongo';
import { normalised } from './normalise';

export interface GoldenCase {
  id: string;
  setup: Doc[];
  source: Doc;
}

const databaseName = 'golden';
const areasRead = new Map<string, readonly GoldenCase[]>();

/** The cases of one area, in the order of its file. The file is read and parsed once. */
export function readCases(area: string): readonly GoldenCase[] {
  const known = areasRead.get(area) ?? parseCases(area);
  areasRead.set(area, known);
  return known;
}

function parseCases(area: string): GoldenCase[] {
  const text = readFileSync(join(__dirname, '..', 'vectors', `${area}.jsonl`), 'utf8');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const source = parseExtendedJson(line) as Doc;
      return { id: source.get('id') as string, setup: (source.get('setup') ?? []) as Doc[], source };
    });
}

/** The first and the last case of each group (the first two words of an id), and one of every `stride` between them. */
export function sampleOfEachGroup(cases: readonly GoldenCase[], stride: number): GoldenCase[] {
  const groups = new Map<string, GoldenCase[]>();
  for (const golden of cases) {
    const name = golden.id.split('/').slice(0, 2).join('/');
    groups.set(name, [...(groups.get(name) ?? []), golden]);
  }
  return [...groups.values()].flatMap((group) =>
    group.filter((_golden, at) => at % stride === 0 || at === group.length - 1),
  );
}

export interface Outcome {
  expected: string;
  actual: string;
  /** Set when the answer was an error although another answer was recorded. */
  refused: { code: number } | undefined;
}

/** The set-up that is unchanged in a client's database, because only reads came after it. */
const untouched = new WeakMap<RawClient, string>();

/** Runs a case on its set-up in an otherwise empty database and returns both answers as comparable text. */
export async function replayCase(client: RawClient, golden: GoldenCase): Promise<Outcome> {
  const setup = stringifyExtendedJson(golden.setup);
  if (untouched.get(client) !== setup) {
    for (const name of ['c', 'c2']) await client.command(databaseName, new Map<string, Value>([['drop', name]]));
    for (const command of golden.setup) await client.command(databaseName, command);
  }
  if (onlyReads(golden)) untouched.set(client, setup);
  else untouched.delete(client);
  const expected: Value[] = [];
  const actual: Value[] = [];
  if (golden.source.has('script')) await replayScript(client, golden, expected, actual);
  else {
    expected.push(golden.source.get('reply') as Value);
    actual.push(await replayCommand(client, golden));
  }
  if (golden.source.has('after')) {
    expected.push(golden.source.get('after') as Value);
    actual.push(await contents(client));
  }
  return {
    expected: stringifyExtendedJson(expected),
    actual: stringifyExtendedJson(actual),
    refused: refusalIn(actual, expected),
  };
}

/**
 * Scripts and pipelines with a writing stage may change the database. A read under another name is treated as a write.
 */
function onlyReads(golden: GoldenCase): boolean {
  const command = golden.source.get('command');
  if (!(command instanceof Map)) return false;
  const [name = ''] = command.keys();
  if (name !== 'aggregate') return ['find', 'count', 'distinct'].includes(name);
  return !/"\$(?:out|merge)"/.test(stringifyExtendedJson(command));
}

const databaseOf = (golden: GoldenCase): string =>
  (golden.source.get('database') as string | undefined) ?? databaseName;

function refusalIn(actual: Value[], expected: Value[]): { code: number } | undefined {
  const codeIn = (reply: Value | undefined): number | undefined => {
    if (!(reply instanceof Map)) return undefined;
    const error = reply.get('error') ?? (reply.get('writeErrors') as Value[] | undefined)?.[0];
    const code = error instanceof Map ? error.get('code') : undefined;
    return code === undefined ? undefined : (code as { value: number }).value;
  };
  for (const [index, reply] of actual.entries()) {
    const code = codeIn(reply);
    if (code !== undefined && codeIn(expected[index]) === undefined) return { code };
  }
  return undefined;
}

async function replayCommand(client: RawClient, golden: GoldenCase): Promise<Value> {
  const command = golden.source.get('command') as Doc;
  const database = databaseOf(golden);
  const reply = await client.command(database, command);
  const expected = golden.source.get('reply') as Doc;
  const getMore = golden.source.get('getMore') as Doc | undefined;
  const pages = await readCursor(client, database, reply, getMore);
  return normalised(reply, { expected, pages, withBatches: golden.source.has('getMore') });
}

/** All batches of a cursor reply; undefined for other replies. */
async function readCursor(
  client: RawClient,
  database: string,
  reply: Doc,
  getMore: Doc | undefined,
): Promise<Value[][] | undefined> {
  const cursor = reply.get('cursor');
  if (!(cursor instanceof Map)) return undefined;
  const batches = [cursor.get('firstBatch') as Value[]];
  let id = cursor.get('id') as bigint;
  const collection = (cursor.get('ns') as string).slice(database.length + 1);
  while (id !== 0n) {
    const next = await client.command(
      database,
      new Map<string, Value>([['getMore', id], ['collection', collection], ...(getMore ?? new Map<string, Value>())]),
    );
    const following = next.get('cursor');
    if (!(following instanceof Map)) throw new Error(`getMore failed: ${stringifyExtendedJson(next)}`);
    batches.push(following.get('nextBatch') as Value[]);
    id = following.get('id') as bigint;
  }
  return batches;
}

async function contents(client: RawClient): Promise<Value> {
  const find = new Map<string, Value>([
    ['find', 'c'],
    ['sort', new Map<string, Value>([['_id', 1n]])],
  ]);
  const pages = await readCursor(client, databaseName, await client.command(databaseName, find), undefined);
  return (pages ?? []).flat();
}

async function replayScript(client: RawClient, golden: GoldenCase, expected: Value[], actual: Value[]): Promise<void> {
  const cursors = new Map<string, Value>();
  const sessions = new Map<string, Doc>();
  for (const step of golden.source.get('script') as Doc[]) {
    const command = sessionCommand(step, sessions);
    if (!command) continue;
    const name = step.get('useCursor');
    if (typeof name === 'string' && command.has('getMore')) command.set('getMore', cursors.get(name) ?? 0n);
    if (command.has('killCursors')) {
      command.set(
        'cursors',
        (command.get('cursors') as Value[]).map((cursor) => cursors.get(cursor as string) ?? cursor),
      );
    }
    const reply = await client.command(databaseName, command);
    const cursor = reply.get('cursor');
    const saved = step.get('cursor');
    if (typeof saved === 'string' && cursor instanceof Map) cursors.set(saved, cursor.get('id') as Value);
    const wanted = step.get('reply') as Doc;
    expected.push(wanted);
    actual.push(named(normalised(reply, { expected: wanted, pages: undefined, withBatches: false }), cursors));
  }
}

/** The command of a step with the fields of its session. Starting a transaction only marks the next command. */
function sessionCommand(step: Doc, sessions: Map<string, Doc>): Doc | undefined {
  const name = step.get('session') as string | undefined;
  const transaction = step.get('transaction');
  const command = new Map((step.get('command') ?? new Map()) as Doc);
  if (name === undefined) return command;
  if (transaction === 'start') {
    const number = BigInt(sessions.size + 1);
    sessions.set(
      name,
      new Map<string, Value>([
        ['txnNumber', number],
        ['startTransaction', true],
        ['autocommit', false],
      ]),
    );
    return undefined;
  }
  if (transaction === 'commit' || transaction === 'abort') command.set(`${transaction}Transaction`, new Int32(1));
  for (const [field, value] of sessions.get(name) ?? []) command.set(field, value);
  sessions.get(name)?.delete('startTransaction');
  return command;
}

/** Replaces cursor ids by their names, as the recorded replies show them. */
function named(value: Value, cursors: ReadonlyMap<string, Value>): Value {
  if (typeof value === 'bigint') for (const [name, id] of cursors) if (id === value) return name;
  if (Array.isArray(value)) return value.map((element) => named(element, cursors));
  if (value instanceof Map) return new Map([...value].map(([name, field]) => [name, named(field, cursors)]));
  return value;
}
