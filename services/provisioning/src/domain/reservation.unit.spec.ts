/** Reservations at every age: elapsed time alone never gives one to another holder. */
import {
  releaseTrial,
  reserveCapacity,
  reserveTrial,
  type CapacityReservation,
  type TrialReservation,
} from './reservation';

const taken = new Date('2026-01-01T00:00:00.000Z');
const days = (count: number, ms = 0) => new Date(taken.getTime() + count * 86_400_000 + ms);
const ages = [0, 1, 7, 14, 29, 30, 31, 90, 365, 3_650].flatMap((count) => [
  days(count, -1),
  days(count),
  days(count, 1),
]);
const base = { _id: 'identity', revision: 'r', createdAt: taken, updatedAt: taken };
const holder = { tenantId: 'first', operationId: 'create:first' };
const other = { tenantId: 'second', operationId: 'create:second' };
const trial: TrialReservation = { ...base, ...holder, timeline: [{ at: taken, tenantId: 'first', what: 'reserved' }] };
const capacity: CapacityReservation = {
  ...base,
  allocations: [{ tenantId: 'first', state: 'reserved' }],
  timeline: [{ at: taken, tenantId: 'first', what: 'reserved' }],
};

describe('a reservation at any age', () => {
  it.each(ages.map((at) => [at.toISOString(), at] as const))('stays with its holder at %s', (_text, at) => {
    expect(reserveTrial('identity', trial, other, at)).toEqual({ answer: 'refused' });
    expect(reserveTrial('identity', trial, holder, at)).toEqual({ answer: 'stands' });
    expect(reserveCapacity('identity', capacity, 'second', 1, at)).toEqual({ answer: 'refused' });
    expect(reserveCapacity('identity', capacity, 'first', 1, at)).toEqual({ answer: 'stands' });
  });

  it('goes to another holder after a recorded release, and then at any age', () => {
    for (const at of ages) {
      const released = releaseTrial('identity', trial, 'first', 'released_cancelled', at);
      const write = 'write' in released ? { ...base, ...released.write } : trial;
      expect(reserveTrial('identity', write, other, at)).toMatchObject({ write: { tenantId: 'second' } });
    }
  });
});
