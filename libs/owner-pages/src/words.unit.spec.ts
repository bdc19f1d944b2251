import type { Account } from '@platform/contracts-operator';
import { periodWords } from './words';

describe('the end of a period', () => {
  it.each<[Account['state']['status'], boolean, string | undefined]>([
    ['active', false, 'Paid until'],
    ['active', true, 'Period ends'],
    ['trialing', false, 'Trial until'],
    ['past_due', false, 'Period ends'],
    ['pending_payment', false, 'Period ends'],
    ['suspended', false, 'Period ends'],
    ['cancelled', false, undefined],
    ['cancelled', true, undefined],
  ])('of a workspace that is %s, complimentary %s, is called %j', (status, isComplimentary, words) => {
    expect(periodWords({ status, isComplimentary })).toBe(words);
  });
});
