/**
 * The floor of the document store's bench, a separate process: the same work directly on the storage engine, with the
 * same options and so the same durability, and BSON by the official library; no wire protocol, no commands, no planner,
 * no driver.
 */
import { join } from 'node:path';
import { deserialize, serialize } from 'bson';
import { open } from 'lmdb';
import type { Database } from 'lmdb';
import {
  accountOf,
  checkFound,
  checkGroups,
  documentOf,
  storedDocuments,
  type Answer,
  type BenchDocument,
  type Kind,
  type Request,
} from './document-store-work';
import { drive, summarise } from './report';

const root = open({
  path: join(process.argv[2] ?? '', 'floor.mdb'),
  encoding: 'binary',
  keyEncoding: 'binary',
  overlappingSync: false,
  maxDbs: 4,
  noSubdir: true,
});
const openMap = (name: string): Database<Buffer, Buffer> =>
  root.openDB({ name, encoding: 'binary', keyEncoding: 'binary' });
const [stored, inserted, entries] = [openMap('stored'), openMap('inserted'), openMap('entries')];

const recordKey = (number: number): Buffer => {
  const key = Buffer.alloc(6);
  key.writeUIntBE(number, 0, 6);
  return key;
};
const idKey = (id: string): Buffer => Buffer.from(`id\0${id}\0`);
const accountPrefix = (account: string): Buffer => Buffer.from(`account\0${account}\0`);
const decode = (bytes: Uint8Array): BenchDocument => deserialize(bytes) as BenchDocument;
const nothing = Buffer.alloc(0);

/** A record and its two index entries, as the store keeps them: by `_id` and by account. */
function put(records: Database<Buffer, Buffer>, number: number, document: BenchDocument): void {
  const key = recordKey(number);
  if (entries.get(idKey(document._id)) !== undefined) throw new Error('an inserted document was there already');
  void records.put(key, Buffer.from(serialize(document)));
  void entries.put(idKey(document._id), key);
  void entries.put(Buffer.concat([accountPrefix(document.account), key]), nothing);
}

const revisions = new Map<number, number>();

function updateFenced(number: number): void {
  const key = entries.get(idKey(`document-${number}`));
  const document = key && decode(stored.get(key)!);
  const revision = revisions.get(number) ?? 0;
  if (!key || document?.revision !== `r${revision}`) throw new Error('a fenced update found another revision');
  void stored.put(key, Buffer.from(serialize({ ...document, revision: `r${revision + 1}` })));
  revisions.set(number, revision + 1);
}

function findByAccount(account: string): BenchDocument[] {
  const start = accountPrefix(account);
  const end = Buffer.concat([start, Buffer.alloc(7, 0xff)]);
  return [...entries.getKeys({ start, end })].map((key) => decode(stored.get(key.subarray(-6))!));
}

function groupByPlan(): { count: number; total: number }[] {
  const groups = new Map<string, { count: number; total: number }>();
  for (const { value } of stored.getRange({})) {
    const { plan, amountCents } = decode(value);
    const group = groups.get(plan) ?? { count: 0, total: 0 };
    groups.set(plan, { count: group.count + 1, total: group.total + amountCents });
  }
  return [...groups.values()];
}

const work: Readonly<Record<Kind, (number: number) => Promise<void>>> = {
  insert: async (number) => void (await root.transaction(() => put(inserted, number, documentOf(number)))),
  'fenced update': async (number) => void (await root.transaction(() => updateFenced(number % storedDocuments))),
  'indexed find': async (number) => checkFound(findByAccount(accountOf(number % storedDocuments))),
  aggregation: async () => checkGroups(groupByPlan()),
};

async function measure({ kind, inFlight, total, first }: Request): Promise<Answer> {
  const { samplesMs, elapsedMs } = await drive(total, inFlight, (index) => work[kind](first + index));
  return { side: summarise(samplesMs, elapsedMs) };
}

async function main(): Promise<void> {
  await root.transaction(() => {
    for (let number = 0; number < storedDocuments; number += 1) put(stored, number, documentOf(number));
  });
  const answer = (message: Answer): void => void process.send?.(message);
  process.on('message', (request: Request) => {
    measure(request).then(answer, (error: unknown) => answer({ failed: String(error) }));
  });
  process.on('disconnect', () => process.exit(0));
  answer({ ready: true });
}

void main();
