import { decideRegistration, decideRemoval, listenersOf, type Listener } from './listener';

const at = new Date('2026-03-01T12:00:00.000Z');
const search: Listener = {
  _id: 'search',
  revision: 'r1',
  createdAt: at,
  updatedAt: at,
  status: 'registered',
  events: ['TENANT_BEING_PROVISIONED', 'TENANT_DELETED'],
  order: 10,
  registeredBy: 'search-1',
};
const unregistered: Listener = { ...search, status: 'unregistered' };

describe('the listeners of an event', () => {
  it('are those that are registered for it, by their order and then by their name', () => {
    const listeners: Listener[] = [
      { ...search, _id: 'late', order: 20 },
      { ...search, _id: 'b' },
      { ...search, _id: 'c' },
      { ...search, _id: 'a' },
      { ...search, _id: 'other', events: ['TENANT_DELETED'] },
      { ...unregistered, _id: 'gone' },
      { ...search, _id: 'early', order: 1 },
    ];
    const names = (given: Listener[]) => listenersOf(given, 'TENANT_BEING_PROVISIONED').map(({ _id }) => _id);
    expect(names(listeners)).toEqual(['early', 'a', 'b', 'c', 'late']);
    expect(names(listeners.toReversed())).toEqual(['early', 'a', 'b', 'c', 'late']);
  });
});

describe('a registration', () => {
  const { _id: name, events, order, registeredBy } = search;
  const asked = { name, events: [...events], order, registeredBy, renew: false };
  const replacing = { kind: 'write', replaced: true };

  it('is written where there was none, or one that was removed, and replaces nothing', () => {
    for (const former of [null, unregistered])
      expect(decideRegistration(former, asked)).toEqual({ kind: 'write', replaced: false });
  });

  it('is already there with the same values of the same instance, in any order of events', () => {
    expect(decideRegistration(search, asked)).toEqual({ kind: 'unchanged' });
    expect(decideRegistration(search, { ...asked, events: [...asked.events].reverse() })).toEqual({
      kind: 'unchanged',
    });
  });

  it('of another instance replaces it, unless it renews the same values', () => {
    const other = { ...asked, registeredBy: 'search-2' };
    expect(decideRegistration(search, other)).toEqual(replacing);
    expect(decideRegistration(search, { ...other, renew: true })).toEqual({ kind: 'unchanged' });
  });

  it.each([
    ['another order', { order: 11 }],
    ['fewer events', { events: ['TENANT_BEING_PROVISIONED' as const] }],
  ])('with %s replaces it, as a renewal that of the same instance alone', (_name, change) => {
    expect(decideRegistration(search, { ...asked, renew: true, ...change })).toEqual(replacing);
    const other = { ...asked, registeredBy: 'search-2', ...change };
    expect(decideRegistration(search, other)).toEqual(replacing);
    expect(decideRegistration(search, { ...other, renew: true })).toEqual({ kind: 'unchanged' });
  });

  it('of an older release replaces no newer one, and of a newer release replaces an older one as a renewal too', () => {
    const other = { ...asked, registeredBy: 'search-2', order: 11 };
    const second: Listener = { ...search, version: 2 };
    for (const renew of [false, true]) {
      expect(decideRegistration(second, { ...other, renew, version: 1 })).toEqual({ kind: 'unchanged' });
      expect(decideRegistration(second, { ...other, renew, version: 3 })).toEqual(replacing);
    }
    expect(decideRegistration(second, { ...asked, version: 2 })).toEqual({ kind: 'unchanged' });
  });

  it('for one event in place of another replaces it', () => {
    const former: Listener = { ...search, events: ['TENANT_DELETED'] };
    expect(decideRegistration(former, { ...asked, events: ['TENANT_BEING_PROVISIONED'] })).toEqual(replacing);
  });

  it('is removed by the instance that made it last, and by no other', () => {
    expect(decideRemoval(search, { name, registeredBy: 'search-1' })).toBe(true);
    expect(decideRemoval(search, { name, registeredBy: 'search-2' })).toBe(false);
    expect(decideRemoval(unregistered, { name, registeredBy: 'search-1' })).toBe(false);
    expect(decideRemoval(null, { name, registeredBy: 'search-1' })).toBe(false);
  });
});
