import { blockFaults, sealBlock } from './chain';

describe('a chain of blocks', () => {
  const first = sealBlock(null, { rows: ['a'] });
  const second = sealBlock(first, { rows: ['b', 'c'] });

  it('numbers its blocks and ties each to the one before', () => {
    expect([first._id, first.previous, second._id, second.previous]).toEqual([
      '000000000001',
      '0'.repeat(64),
      '000000000002',
      first.hash,
    ]);
    expect([
      ...blockFaults(null, first, { rows: first.rows }),
      ...blockFaults(first, second, { rows: second.rows }),
    ]).toEqual([]);
  });

  it('shows other content, a missing block and a block of another chain', () => {
    expect(blockFaults(first, second, { rows: ['b'] })).toEqual([
      'block 000000000002: its content is not what was written',
    ]);
    expect(blockFaults(null, second, { rows: second.rows })).toEqual([
      'block 000000000002: block 000000000001 should be here',
      'block 000000000002: does not continue the block before it',
    ]);
    expect(blockFaults(sealBlock(null, { rows: ['x'] }), second, { rows: second.rows })).toEqual([
      'block 000000000002: does not continue the block before it',
    ]);
  });
});
