import type { Account } from '@platform/contracts-operator';
import { periodWords, planWords } from './words';

const onSale = [{ planId: 'starter', name: 'Starter', amountCents: 1_900, currency: 'usd' }];

describe('the plan of an owner', () => {
  it.each([
    ['starter', undefined, 'Starter'],
    ['retired', undefined, 'retired'],
    ['starter', true, 'Not one of our plans (the last one was Starter)'],
  ] as const)('of %s, with a price in no catalog: %s, is called %j', (planId, priceNotInCatalog, words) => {
    const state = { planId, ...(priceNotInCatalog && { priceNotInCatalog }) };
    expect(planWords({ state, onSale })).toBe(words);
  });
});

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
