import { decodeQueueCursor, encodeQueueCursor } from './queue-cursor';

const asOf = new Date('2026-03-01T00:00:00.000Z');

describe('a cursor of the queue', () => {
  it('names a place in a text and reads it back, and no other text', () => {
    const position = { asOf, last: { _id: 'operation:op-1', weight: 4_900, since: new Date(asOf.getTime() - 5) } };
    expect(decodeQueueCursor(encodeQueueCursor(position))).toEqual(position);
    for (const other of [
      '',
      'x',
      Buffer.from('[1,2,3]').toString('base64url'),
      Buffer.from('[1e99,0,1,"a"]').toString('base64url'),
      Buffer.from('[1,-1,1,"a"]').toString('base64url'),
    ])
      expect(decodeQueueCursor(other)).toBeNull();
  });
});
