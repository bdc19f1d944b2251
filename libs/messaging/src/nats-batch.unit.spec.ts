/**
 * Batches of publications: when they are used, and that every publication is answered whatever happens to its batch.
 */
import { silentLog } from '@platform/kernel';
import { batchLimits, createBatchedPublish, hasAtomicBatches } from './nats-batch';
import type { Publication } from './nats-batch';
import type { PublishOutcome } from './port';

type Sent = { readonly subject: string; readonly headers: Readonly<Record<string, string>> };

function createWorld(answer: (sent: readonly Sent[]) => unknown, version = '2.12.3') {
  const batches: Sent[][] = [];
  const singly: string[] = [];
  let open: Sent[] = [];
  const publish = createBatchedPublish({
    serverVersion: () => version,
    streams: [
      { name: 'A', subjects: ['a.*'] },
      { name: 'B', subjects: ['b.>'] },
    ],
    publishOne: async ({ id }: Publication): Promise<PublishOutcome> => {
      singly.push(id ?? 'without id');
      return id === 'lost' ? 'unknown' : 'acknowledged';
    },
    send: (subject, _bytes, headers) => void open.push({ subject, headers }),
    request: async (subject, _bytes, headers) => {
      const batch = [...open, { subject, headers }];
      batches.push(batch);
      open = [];
      return answer(batch);
    },
    createBatchId: () => `batch-${batches.length}`,
    log: silentLog,
  });
  const send = (...ids: string[]) =>
    Promise.all(
      ids.map((id) =>
        publish({
          subject: id.startsWith('b') ? `b.${id}.x` : `a.${id}`,
          id,
          bytes: Buffer.from('{}'),
          headers: { 'ce-id': id },
        }),
      ),
    );
  return { batches, singly, send, publish };
}

const stored = (batch: readonly Sent[]) => ({ stream: 'A', seq: 1, count: batch.length });
const acknowledged = (count: number) => Array.from({ length: count }, () => 'acknowledged');

describe('publications of one moment', () => {
  it('go to their stream as one batch, in order, under their own ids', async () => {
    const world = createWorld(stored);
    expect(await world.send('a1', 'b1', 'a2', 'b2', 'a3')).toEqual(acknowledged(5));
    expect(world.batches.map((batch) => batch.map(({ headers }) => headers['Nats-Msg-Id']))).toEqual([
      ['a1', 'a2', 'a3'],
      ['b1', 'b2'],
    ]);
    expect(
      world.batches[0]?.map(({ headers }) => [
        headers['Nats-Batch-Sequence'],
        headers['Nats-Batch-Commit'],
        headers['ce-id'],
      ]),
    ).toEqual([
      ['1', undefined, 'a1'],
      ['2', undefined, 'a2'],
      ['3', '1', 'a3'],
    ]);
    expect(world.singly).toEqual([]);
  });

  it('go singly when there is only one, when no stream is known, and on a server without batches', async () => {
    const world = createWorld(stored);
    expect(await world.send('a1')).toEqual(['acknowledged']);
    expect(await world.publish({ subject: 'other', id: 'o', bytes: Buffer.from('{}'), headers: {} })).toBe(
      'acknowledged',
    );
    const old = createWorld(stored, '2.10.27');
    expect(await old.send('a1', 'a2')).toEqual(acknowledged(2));
    expect([world.batches, old.batches, world.singly, old.singly]).toEqual([[], [], ['a1', 'o'], ['a1', 'a2']]);
  });

  it.each([
    ['holds an id that the server knows', { error: { err_code: 10_201 } }],
    ['was cut short', { error: { err_code: 10_176 } }],
  ])('go again singly when their batch %s, and the next batch is tried', async (_what, error) => {
    const world = createWorld((batch) => (world.batches.length === 1 ? error : stored(batch)));
    expect(await world.send('a1', 'lost')).toEqual(['acknowledged', 'unknown']);
    expect(world.singly).toEqual(['a1', 'lost']);
    expect(await world.send('a3', 'a4')).toEqual(acknowledged(2));
    expect(world.batches).toHaveLength(2);
  });

  it('go again singly when no answer came', async () => {
    const world = createWorld(() => {
      throw new Error('timeout');
    });
    expect(await world.send('a1', 'a2')).toEqual(acknowledged(2));
    expect(world.singly).toEqual(['a1', 'a2']);
  });

  it.each([
    ['says that batches are off', { error: { err_code: 10_174 } }],
    ['answers as if it knew no batches', { stream: 'A', seq: 7 }],
  ])('go singly for good when the server %s', async (_what, answer) => {
    const world = createWorld(() => answer);
    expect(await world.send('a1', 'a2')).toEqual(acknowledged(2));
    expect(await world.send('a3', 'a4')).toEqual(acknowledged(2));
    expect(world.batches).toHaveLength(1);
    expect(world.singly).toEqual(['a1', 'a2', 'a3', 'a4']);
  });

  it('are cut to what the server takes', async () => {
    const world = createWorld(stored);
    const ids = Array.from({ length: batchLimits.messages + 3 }, (_unused, number) => `a${number}`);
    expect(await world.send(...ids)).toEqual(acknowledged(ids.length));
    expect(world.batches.map((batch) => batch.length)).toEqual([batchLimits.messages, 3]);
  });
});

describe('atomic batches', () => {
  it.each([
    ['2.9.10', false],
    ['2.11.9', false],
    ['2.12.0', true],
    ['2.15.1', true],
    ['3.0.0', true],
    ['', false],
  ])('server %s has them: %s', (version, expected) => {
    expect(hasAtomicBatches(version)).toBe(expected);
  });
});
