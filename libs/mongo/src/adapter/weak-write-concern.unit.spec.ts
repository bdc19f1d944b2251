import { weaknessOf, type WriteConcernFacts } from './weak-write-concern';

const threeMembers = { setName: 'rs', hosts: ['a:1', 'b:1', 'c:1'] };
const primarySecondaryArbiter = { setName: 'rs', hosts: ['a:1', 'b:1'], arbiters: ['c:1'] };
const strong: WriteConcernFacts = { address: null, hello: threeMembers, defaultWriteConcern: null };

describe('a deployment whose acknowledged writes can be lost', () => {
  it.each<[string, Partial<WriteConcernFacts>, RegExp]>([
    ['an address with w=1', { address: { w: 1 } }, /connection string asks for w=1/],
    ['an address with w=0', { address: { w: 0 } }, /w=0/],
    ['an address without a journal', { address: { journal: false } }, /turns the journal off/],
    ['a default of w=1', { defaultWriteConcern: { w: 1 } }, /default write concern is w=1/],
    [
      'a default without a journal',
      { defaultWriteConcern: { w: 'majority', j: false } },
      /default write concern turns the journal off/,
    ],
    ['primary, secondary, arbiter', { hello: primarySecondaryArbiter }, /arbiters.*default write concern is w=1/],
    ['one primary and one arbiter', { hello: { setName: 'rs', hosts: ['a:1'], arbiters: ['b:1'] } }, /arbiters/],
    [
      'three of five members bearing data',
      { hello: { setName: 'rs', hosts: ['a:1', 'b:1', 'c:1'], arbiters: ['d:1', 'e:1'] } },
      /arbiters/,
    ],
  ])('is recognised by %s', (_case, facts, reason) => {
    expect(weaknessOf({ ...strong, ...facts })).toMatch(reason);
  });
});

describe('a deployment that keeps what it acknowledges', () => {
  it.each<[string, Partial<WriteConcernFacts>]>([
    ['three members', {}],
    ['a standalone server', { hello: {} }],
    ['an address with w=majority', { address: { w: 'majority', journal: true } }],
    [
      'arbiters beside an explicit default of majority',
      { hello: primarySecondaryArbiter, defaultWriteConcern: { w: 'majority' } },
    ],
    [
      'four of five members bearing data',
      { hello: { setName: 'rs', hosts: ['a:1', 'b:1', 'c:1'], passives: ['d:1'], arbiters: ['e:1'] } },
    ],
  ])('is %s', (_case, facts) => {
    expect(weaknessOf({ ...strong, ...facts })).toBeNull();
  });
});
