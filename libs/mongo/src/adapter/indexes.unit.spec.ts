import { isAmong } from './indexes';
import type { IndexDeclaration } from '../port';

const declared: IndexDeclaration = {
  name: 'reference',
  key: { reference: 1, _id: 1 },
  unique: true,
  only: { reference: { $exists: true } },
};
const same = {
  name: 'reference',
  key: { reference: 1, _id: 1 },
  unique: true,
  partialFilterExpression: { reference: { $exists: true } },
};

describe('a declared index', () => {
  it('is present when one of the same definition exists', () => {
    expect(isAmong('jobs', declared, [{ name: '_id_', key: { _id: 1 } }, same])).toBe(true);
  });

  it('is missing when nothing of its name or key exists', () => {
    expect(isAmong('jobs', declared, [{ name: '_id_', key: { _id: 1 } }])).toBe(false);
  });

  it.each([
    ['is not unique', { ...same, unique: false }],
    ['has another key', { ...same, key: { reference: 1 } }],
    ['has its keys in another order', { ...same, key: { _id: 1, reference: 1 } }],
    ['covers other records', { ...same, partialFilterExpression: { reference: { $gt: '' } } }],
    ['covers all records', { name: same.name, key: same.key, unique: true }],
    ['has another name', { ...same, name: 'reference_1__id_1' }],
  ] as const)('conflicts with one that %s, and the error names both', (_case, existing) => {
    expect(() => isAmong('jobs', declared, [existing])).toThrow(
      new RegExp(`jobs: index "${existing.name}" .* conflicts with the declared "reference"`),
    );
  });

  it('may share its key with an index over other records', () => {
    expect(isAmong('jobs', { ...declared, only: { status: 'done' } }, [{ ...same, name: 'other' }])).toBe(false);
  });
});
