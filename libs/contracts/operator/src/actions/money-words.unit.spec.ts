/** The words of a plan's price. */
import { formatPrice, type BilledEvery } from './money-words';

describe('the price of a plan', () => {
  const price = { amountCents: 12_900, currency: 'usd' };

  it.each<[BilledEvery['interval'], number, string]>([
    ['month', 1, '129.00 USD a month'],
    ['month', 3, '129.00 USD every 3 months'],
    ['year', 1, '129.00 USD a year'],
    ['week', 2, '129.00 USD every 2 weeks'],
    ['day', 1, '129.00 USD a day'],
  ])('that is paid with the interval %s, %d of it, is said as such', (interval, count, words) => {
    expect(formatPrice({ ...price, billedEvery: { interval, count } })).toBe(words);
  });

  it('names no interval that is not known, and none of a free plan', () => {
    expect(formatPrice(price)).toBe('129.00 USD, interval not known');
    expect(formatPrice({ amountCents: 0, currency: 'jpy' })).toBe('0 JPY');
  });
});
