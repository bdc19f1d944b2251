/** Reservations at every age: elapsed time alone never gives one to another holder. */
import {
  admitCreation,
  confirmCapacity,
  releaseCapacity,
  releaseTrial,
  reserveCapacity,
  reserveTrial,
  timelineEntries,
  type CapacityReservation,
  type CreationWindow,
  type TimelineEntry,
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
    expect(reserveTrial('identity', trial, holder, at)).toEqual({ answer: 'as_requested' });
    expect(reserveCapacity('identity', capacity, 'second', 1, at)).toEqual({ answer: 'refused' });
    expect(reserveCapacity('identity', capacity, 'first', 1, at)).toEqual({ answer: 'as_requested' });
  });

  it('goes to another holder after a recorded release, and then at any age', () => {
    for (const at of ages) {
      const released = releaseTrial('identity', trial, 'first', 'released_cancelled', at);
      const write = 'write' in released ? { ...base, ...released.write } : trial;
      expect(reserveTrial('identity', write, other, at)).toMatchObject({ write: { tenantId: 'second' } });
    }
  });
});

const now = days(1);
const asRequested = { answer: 'as_requested' };
const reserved = capacity.timeline;
const entry = (tenantId: string, what: TimelineEntry['what']): TimelineEntry => ({ at: now, tenantId, what });

describe('the capacity of a card', () => {
  const [first, second] = ['first', 'second'].map((tenantId) => ({ tenantId, state: 'reserved' }) as const);

  it('is reserved up to the limit, in the order of the requests', () => {
    expect(reserveCapacity('card', null, 'first', 1, now)).toEqual({
      write: { _id: 'card', allocations: [first], timeline: [entry('first', 'reserved')] },
    });
    expect(reserveCapacity('card', capacity, 'second', 2, now)).toEqual({
      write: {
        ...base,
        _id: 'card',
        allocations: [first, second],
        timeline: [...reserved, entry('second', 'reserved')],
      },
    });
    expect(reserveCapacity('card', null, 'first', 0, now)).toEqual({ answer: 'refused' });
  });

  it('is confirmed once for a workspace that holds it, and for no other', () => {
    const shared = { ...capacity, allocations: [first!, second!] };
    const confirmed = [{ tenantId: 'first', state: 'confirmed' }, second];
    expect(confirmCapacity('card', shared, 'first', now)).toEqual({
      write: { ...base, _id: 'card', allocations: confirmed, timeline: [...reserved, entry('first', 'confirmed')] },
    });
    const again = { ...capacity, allocations: [{ tenantId: 'first', state: 'confirmed' } as const] };
    expect(confirmCapacity('card', again, 'first', now)).toEqual(asRequested);
    expect(confirmCapacity('card', capacity, 'second', now)).toEqual(asRequested);
    expect(confirmCapacity('card', null, 'first', now)).toEqual(asRequested);
  });

  it('is released for a workspace that holds it, and kept for the others', () => {
    const shared = { ...capacity, allocations: [first!, second!] };
    expect(releaseCapacity('card', shared, 'first', now)).toEqual({
      write: {
        ...base,
        _id: 'card',
        allocations: [second],
        timeline: [...reserved, entry('first', 'released_cancelled')],
      },
    });
    expect(releaseCapacity('card', capacity, 'second', now)).toEqual(asRequested);
    expect(releaseCapacity('card', null, 'first', now)).toEqual(asRequested);
  });

  it('keeps the last entries of its history', () => {
    const timeline = Array.from({ length: timelineEntries }, (_, minute) => ({ ...reserved[0]!, at: days(0, minute) }));
    const written = reserveCapacity('card', { ...capacity, timeline }, 'second', 2, now);
    expect(written).toMatchObject({ write: { timeline: [...timeline.slice(1), entry('second', 'reserved')] } });
  });
});

describe('the trial of an identity', () => {
  it('is reserved where it never was or was released, with what happened to it', () => {
    expect(reserveTrial('identity', null, holder, now)).toEqual({
      write: { _id: 'identity', ...holder, timeline: [entry('first', 'reserved')] },
    });
    const released = { ...trial, tenantId: null, operationId: null };
    expect(reserveTrial('identity', released, other, now)).toEqual({
      write: { ...base, ...other, timeline: [...trial.timeline, entry('second', 'reserved')] },
    });
  });

  it('is refused to another operation of the same workspace', () => {
    const another = { ...holder, operationId: 'checkout:first' };
    expect(reserveTrial('identity', trial, another, now)).toEqual({ answer: 'refused' });
    expect(reserveTrial('identity', trial, { ...holder, tenantId: 'second' }, now)).toEqual({ answer: 'refused' });
  });

  it('is released by the workspace that holds it alone, with the reason', () => {
    expect(releaseTrial('identity', trial, 'first', 'released_not_eligible', now)).toEqual({
      write: {
        ...base,
        tenantId: null,
        operationId: null,
        timeline: [...trial.timeline, entry('first', 'released_not_eligible')],
      },
    });
    expect(releaseTrial('identity', trial, 'second', 'released_cancelled', now)).toEqual(asRequested);
    expect(releaseTrial('identity', null, 'first', 'released_cancelled', now)).toEqual(asRequested);
  });
});

describe('the creations of one person', () => {
  const window: CreationWindow = { ...base, starts: [days(0), days(0, 1)] };
  const day = 86_400_000;

  it('are admitted up to the limit of the window, of which a start leaves exactly at its age', () => {
    expect(admitCreation('user', null, 1, day, now)).toEqual({ write: { _id: 'user', starts: [now] } });
    expect(admitCreation('user', window, 2, day, now)).toEqual({
      write: { ...base, _id: 'user', starts: [days(0, 1), now] },
    });
    expect(admitCreation('user', window, 1, day, now)).toEqual({ answer: 'refused' });
    expect(admitCreation('user', window, 2, day, days(1, -1))).toEqual({ answer: 'refused' });
  });
});

describe('what a newer release keeps in a record', () => {
  const newer = { ofNewerRelease: { amount: 1 } };
  const held = { ...capacity, ...newer, allocations: [{ tenantId: 'first', state: 'reserved', ...newer }] } as const;
  const window = { ...base, ...newer, starts: [] };
  it.each([
    ['reserving capacity', reserveCapacity('card', held, 'second', 2, now), newer],
    ['confirming capacity', confirmCapacity('card', held, 'first', now), { ...newer, allocations: [newer] }],
    ['releasing capacity', releaseCapacity('card', held, 'first', now), newer],
    ['reserving a trial', reserveTrial('id', { ...trial, ...newer, tenantId: null }, other, now), newer],
    ['releasing a trial', releaseTrial('id', { ...trial, ...newer }, 'first', 'released_cancelled', now), newer],
    ['admitting a creation', admitCreation('user', window, 1, 1, now), newer],
  ])('stays when this one writes it: %s', (_decision, decided, kept) => {
    expect(decided).toMatchObject({ write: kept });
  });
});
