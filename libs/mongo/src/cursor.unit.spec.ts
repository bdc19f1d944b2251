import { decodeCursor, encodeCursor } from './cursor';

describe('a cursor', () => {
  it('gives back the position that it was made from', () => {
    const position = { createdAt: new Date('2026-01-02T03:04:05.678Z'), _id: 'op-ü-0001' };
    expect(decodeCursor(encodeCursor(position))).toEqual([position.createdAt, position._id]);
  });

  it.each([
    '',
    'nonsense',
    Buffer.from('[1]').toString('base64url'),
    Buffer.from('["x","y"]').toString('base64url'),
    Buffer.from('{"0":1}').toString('base64url'),
  ])('is refused when no page gave it out: %j', (text) => {
    expect(decodeCursor(text)).toBeNull();
  });
});
