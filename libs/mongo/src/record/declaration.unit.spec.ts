import type { IndexDeclaration } from '../port';
import { checkDeclaration } from './declaration';

const index: IndexDeclaration = { name: 'by_rank', key: { rank: 1 } };

describe('the declaration of a collection', () => {
  it('may limit an index by equality, bounds and existence', () => {
    expect(() =>
      checkDeclaration({
        name: 'jobs',
        indexes: [{ ...index, only: { status: 'open', rank: { $gt: 1, $lte: 9 }, reference: { $exists: true } } }],
      }),
    ).not.toThrow();
  });

  it.each<[string, string, readonly IndexDeclaration[], string]>([
    ['a name with other characters', 'Jobs.v2', [], 'cannot name a collection'],
    ['two indexes of one name', 'jobs', [index, { ...index, key: { other: 1 } }], 'carry the same name'],
    ['a reserved index name', 'jobs', [{ ...index, name: 'outbox' }], 'is reserved'],
    ['an index without a key', 'jobs', [{ ...index, key: {} }], 'has no key'],
    [
      'an index limited by several values',
      'jobs',
      [{ ...index, only: { status: { $in: ['a', 'b'] } } }],
      'cannot be limited by this condition on status',
    ],
    ['an index limited by absence', 'jobs', [{ ...index, only: { status: { $exists: false } } }], 'cannot be limited'],
    ['an index limited by inequality', 'jobs', [{ ...index, only: { status: { $ne: 'a' } } }], 'cannot be limited'],
  ])('is refused with %s', (_case, name, indexes, message) => {
    expect(() => checkDeclaration({ name, indexes })).toThrow(message);
  });
});
