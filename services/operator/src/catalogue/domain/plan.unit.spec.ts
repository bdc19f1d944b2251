/** What may be written over a plan of the catalog. */
import { complaintsAbout, type Plan } from './plan';

const stamps = { revision: 'r', createdAt: new Date(0), updatedAt: new Date(0) };
const free = { name: 'Free', amountCents: 0, currency: 'usd', priceId: 'price_free', offered: true };
const stored: Plan = { ...stamps, ...free, _id: 'free' };

describe('a free plan', () => {
  it('is not made with a price', () => {
    expect(complaintsAbout(free, null)).toMatchObject([{ pointer: '/priceId' }]);
  });

  it('that has a price can be renamed and taken off sale, and keeps it', () => {
    expect(complaintsAbout({ ...free, name: 'Basic', offered: false }, stored)).toEqual([]);
    const { priceId: _left, ...without } = free;
    expect(complaintsAbout(without, stored)).toMatchObject([{ pointer: '/priceId' }]);
  });
});
