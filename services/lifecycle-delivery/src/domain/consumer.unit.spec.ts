/** Which instance registers, replaces and removes a consumer, and which consumers a transition requires. */
import {
  decideRegistration,
  decideRemoval,
  noteRefusal,
  refusedReceiptsOf,
  requiredFor,
  type ConsumerRecord,
} from './consumer';
import { at, stamp } from '../testing/delivery-records';

describe('a consumer registration', () => {
  const request = {
    name: 'storage',
    transitions: ['suspended', 'created'] as ('suspended' | 'created')[],
    registeredBy: 'storage-1',
    renew: false,
  };
  const fields = {
    _id: 'storage',
    status: 'registered' as const,
    transitions: ['created', 'suspended'] as const,
    registeredBy: 'storage-1',
    registeredAt: at(0),
  };
  const registered: ConsumerRecord = { ...fields, ...stamp };
  const unregistered: ConsumerRecord = { ...registered, status: 'unregistered', unregisteredAt: at(1) };

  it('counts each refused report of its consumer once, and keeps the last one', () => {
    const last = { at: at(1), reason: 'no delivery', reportId: 'm-1' };
    const once = { refusals: { count: 1, last } };
    expect(noteRefusal(registered, last)).toEqual({ ...fields, ...once });
    const noted = { ...registered, ...once };
    expect(noteRefusal(noted, { ...last, at: at(2) })).toBeNull();
    const next = { ...last, reportId: 'm-2' };
    expect(noteRefusal(noted, next)).toEqual({ ...fields, refusals: { count: 2, last: next } });
  });

  it('is written for a new name, and for one that comes back', () => {
    const next = { ...fields, answersTests: false };
    expect(decideRegistration(null, request, at(0))).toStrictEqual({ next, returned: false, replaced: false });
    expect(decideRegistration(unregistered, request, at(2))).toMatchObject({
      next: { registeredAt: at(2) },
      returned: true,
      replaced: false,
    });
  });

  it('replaces a former one of another instance or with other transitions, and leaves an equal one alone', () => {
    expect(decideRegistration(registered, request, at(2))).toEqual({ replaced: false, returned: false });
    expect(decideRegistration(registered, { ...request, registeredBy: 'storage-2' }, at(2))).toMatchObject({
      replaced: true,
      next: { registeredBy: 'storage-2' },
    });
    for (const renew of [false, true])
      expect(decideRegistration(registered, { ...request, transitions: ['created'], renew }, at(2))).toMatchObject({
        replaced: true,
        returned: false,
        next: { transitions: ['created'] },
      });
  });

  it('of an instance that starts again with another release is written, so that the record names that release', () => {
    const [two, three] = [
      { ...registered, version: 2 },
      { ...request, version: 3 },
    ];
    expect(decideRegistration(two, three, at(2))).toMatchObject({ replaced: true, next: { version: 3 } });
    expect(decideRegistration(two, { ...request, version: 2 }, at(2))).toEqual({ replaced: false, returned: false });
  });

  it('of an instance that starts again with another contact is written, and a renewal leaves the contact', () => {
    const former: ConsumerRecord = { ...registered, contact: '#storage' };
    const other = { ...request, contact: '#files' };
    expect(decideRegistration(former, other, at(2))).toMatchObject({ replaced: true, next: { contact: '#files' } });
    for (const equal of [
      { ...other, renew: true },
      { ...request, contact: '#storage' },
    ])
      expect(decideRegistration(former, equal, at(2))).toEqual({ replaced: false, returned: false });
  });

  it('is not taken from another instance by a renewal', () => {
    expect(decideRegistration(registered, { ...request, registeredBy: 'storage-2', renew: true }, at(2))).toEqual({
      replaced: false,
      returned: false,
    });
    const other = { ...request, registeredBy: 'storage-2', renew: true, version: 2, transitions: ['created' as const] };
    expect(decideRegistration(registered, other, at(2))).toEqual({
      ...{ replaced: false, returned: false, superseded: true },
    });
    expect(
      decideRegistration(unregistered, { ...request, registeredBy: 'storage-2', renew: true }, at(2)),
    ).toMatchObject({ returned: true });
  });

  it('keeps its transitions while an old and a new release renew by turns', () => {
    const two: ConsumerRecord = { ...registered, registeredBy: 'storage-2', version: 2 };
    const untouched = { replaced: false, returned: false, superseded: true };
    const old = { ...request, transitions: ['created' as const] };
    expect(decideRegistration(two, { ...old, renew: true }, at(2))).toEqual(untouched);
    expect(decideRegistration(two, { ...old, renew: true, version: 1 }, at(2))).toEqual(untouched);
    expect(decideRegistration(two, { ...request, registeredBy: 'storage-2', renew: true, version: 2 }, at(2))).toEqual({
      replaced: false,
      returned: false,
    });
  });

  it('is not replaced by an older release that starts again, and is by a newer one', () => {
    const two: ConsumerRecord = { ...registered, registeredBy: 'storage-2', version: 2 };
    const narrow = { ...request, transitions: ['created' as const] };
    expect(decideRegistration(two, { ...narrow, version: 1 }, at(2))).toEqual({
      replaced: false,
      returned: false,
      superseded: true,
    });
    expect(decideRegistration(two, { ...narrow, version: 3, contact: '#storage' }, at(2))).toMatchObject({
      replaced: true,
      next: { transitions: ['created'], version: 3, contact: '#storage' },
    });
  });

  it('is removed by the instance that holds it only, and its row stays', () => {
    expect(decideRemoval(registered, request, at(3))).toMatchObject({
      _id: 'storage',
      status: 'unregistered',
      unregisteredAt: at(3),
    });
    expect(decideRemoval(registered, { ...request, registeredBy: 'storage-2' }, at(3))).toBeNull();
    expect(decideRemoval(unregistered, request, at(3))).toBeNull();
    expect(decideRemoval(null, request, at(3))).toBeNull();
  });

  it('of an endpoint is not removed over the broker', () => {
    const endpoint = { url: 'https://billing.example/', secretRef: 'billing' };
    expect(decideRemoval({ ...registered, endpoint }, request, at(3))).toBeNull();
  });

  it('shows the refused reports of its consumer, with the operation when the report names one', () => {
    const last = { at: at(1), reason: 'no JSON', reportId: 'r-1' };
    const shown = { at: at(1).toISOString(), reason: 'no JSON' };
    const shownOf = (over: object) =>
      refusedReceiptsOf({ ...registered, refusals: { count: 2, last: { ...last, ...over } } });
    expect(refusedReceiptsOf(registered)).toEqual({});
    expect(shownOf({})).toStrictEqual({ refusedReceipts: { count: 2, last: shown } });
    expect(shownOf({ operationId: 'operation-1' })).toStrictEqual({
      refusedReceipts: { count: 2, last: { ...shown, operationId: 'operation-1' } },
    });
  });

  it('makes required who is registered for the transition at that moment', () => {
    const other: ConsumerRecord = { ...registered, _id: 'billing', transitions: ['created'] };
    expect(requiredFor('created', [registered, other, { ...unregistered, _id: 'gone' }])).toEqual([
      'billing',
      'storage',
    ]);
    expect(requiredFor('suspended', [registered, other])).toEqual(['storage']);
    expect(requiredFor('reactivation_requested', [registered])).toEqual([]);
  });
});
