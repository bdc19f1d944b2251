/** Broken, hostile and half-open clients can do nothing to the server but lose their own connection. */
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import fc from 'fast-check';
import { encodeDoc } from '../bson/encode';
import { decodeDoc } from '../bson/decode';
import { docOf, int } from '../bson/values';
import type { Doc } from '../bson/values';
import { connectRaw } from '../testing/raw-client';
import { openTestStore } from '../testing/open-test-store';
import type { TestStore } from '../testing/open-test-store';

let test: TestStore;
beforeAll(async () => {
  test = await openTestStore();
});
afterAll(async () => {
  await test.close();
  expect(test.faults).toEqual([]);
});

function message(command: Doc, flags = 0, opCode = 2013): Buffer {
  const body = encodeDoc(command);
  const bytes = Buffer.alloc(21 + body.length);
  bytes.writeInt32LE(bytes.length, 0);
  bytes.writeInt32LE(7, 4);
  bytes.writeInt32LE(opCode, 12);
  bytes.writeUInt32LE(flags, 16);
  body.copy(bytes, 21);
  return bytes;
}

const port = (): number => Number(new URL(test.store.url).port);

/** Sends bytes on a new connection, ends it, and returns what arrived before it closed. */
function exchange(bytes: Buffer, end = true): Promise<Buffer> {
  return new Promise((resolve) => {
    const received: Buffer[] = [];
    const socket: Socket = connect(port(), '127.0.0.1');
    socket.on('data', (chunk: Buffer) => received.push(chunk));
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(Buffer.concat(received)));
    socket.write(bytes);
    if (end) socket.end();
  });
}

async function isAlive(): Promise<void> {
  const client = await connectRaw(test.store.url);
  expect((await client.command('admin', docOf({ ping: int(1) }))).get('ok')).toBe(1);
  client.close();
}

const ping = message(docOf({ ping: int(1), $db: 'admin' }));

describe('the wire protocol', () => {
  it('survives random bytes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 200 }), async (bytes) => {
        await exchange(Buffer.from(bytes));
      }),
      { numRuns: 100 },
    );
    await isAlive();
  });

  it('survives damaged messages of every command', async () => {
    const commands: Doc[] = [
      docOf({ find: 'c', filter: docOf({ a: docOf({ $gt: int(1) }) }), $db: 'fuzz' }),
      docOf({ insert: 'c', documents: [docOf({ a: 1.5, b: ['x', null] })], $db: 'fuzz' }),
      docOf({ update: 'c', updates: [docOf({ q: docOf({}), u: docOf({ $set: docOf({ a: 1 }) }) })], $db: 'fuzz' }),
      docOf({ aggregate: 'c', pipeline: [docOf({ $group: docOf({ _id: '$a' }) })], cursor: docOf({}), $db: 'fuzz' }),
      docOf({ createIndexes: 'c', indexes: [docOf({ key: docOf({ a: int(1) }), name: 'a_1' })], $db: 'fuzz' }),
    ];
    const damage = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...commands), damage, async (command, damages) => {
        const bytes = message(command);
        for (const [position, byte] of damages) bytes[4 + (position % (bytes.length - 4))] = byte;
        await exchange(bytes);
      }),
      { numRuns: 300 },
    );
    await isAlive();
  });

  it('answers messages that arrive byte by byte and several in one piece', async () => {
    const client = connect(port(), '127.0.0.1');
    const replies: Buffer[] = [];
    const done = new Promise<void>((resolve) => {
      client.on('data', (chunk: Buffer) => {
        replies.push(chunk);
        const length = Buffer.concat(replies).length;
        if (length >= 3 * (21 + encodeDoc(docOf({ ok: 1 })).length)) resolve();
      });
    });
    for (const byte of ping) client.write(Buffer.from([byte]));
    client.write(Buffer.concat([ping, ping]));
    await done;
    client.destroy();
  });

  it('closes the connection at an impossible length or an unknown message kind', async () => {
    const huge = Buffer.from(ping);
    huge.writeInt32LE(0x7fffffff, 0);
    expect(await exchange(huge, false)).toHaveLength(0);
    const tiny = Buffer.from(ping);
    tiny.writeInt32LE(3, 0);
    expect(await exchange(tiny, false)).toHaveLength(0);
    expect(await exchange(message(docOf({ ping: int(1), $db: 'admin' }), 0, 2012), false)).toHaveLength(0);
    expect(await exchange(message(docOf({ ping: int(1), $db: 'admin' }), 1 << 5), false)).toHaveLength(0);
    await isAlive();
  });

  it('refuses checksums and old queries with an error, politely', async () => {
    const checksummed = decodeDoc(await exchange(message(docOf({ ping: int(1), $db: 'admin' }), 1)), 21);
    expect(checksummed.get('code')).toEqual(int(238));
    const query = Buffer.concat([Buffer.alloc(20), Buffer.from('test.c\0'), Buffer.alloc(8), encodeDoc(docOf({}))]);
    query.writeInt32LE(query.length, 0);
    query.writeInt32LE(2004, 12);
    expect(decodeDoc(await exchange(query), 36).get('code')).toEqual(int(352));
  });

  it('sends no reply when the client wants none', async () => {
    const silent = message(
      docOf({ insert: 'silent', documents: [docOf({ _id: int(1) })], writeConcern: docOf({ w: int(0) }), $db: 'wire' }),
      2,
    );
    const received = await exchange(Buffer.concat([silent, ping]));
    expect(received.readInt32LE(0)).toBe(received.length);
    expect(await test.client.db('wire').collection('silent').countDocuments()).toBe(1);
  });

  it('frees what abandoned connections held', async () => {
    const sockets = Array.from({ length: 50 }, () => connect(port(), '127.0.0.1'));
    await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once('connect', resolve))));
    for (const socket of sockets) {
      socket.write(ping.subarray(0, 10));
      socket.destroy();
    }
    await isAlive();
  });

  it('refuses a deeply nested command without ending', async () => {
    let nested: Doc = docOf({ a: int(1) });
    for (let depth = 0; depth < 240; depth += 1) nested = docOf({ $and: [nested] });
    const client = await connectRaw(test.store.url);
    await client.command('fuzz', docOf({ find: 'c', filter: nested })).catch(() => undefined);
    client.close();
    await isAlive();
  });
});
