/** The endpoint of a team: what a person's registration records, what it may not replace, and how it ends. */
import type { ActOnConsumer } from '@platform/contracts-lifecycle-delivery';
import { at, stamp } from '../testing/delivery-records';
import type { ConsumerRecord } from './consumer';
import { decideEndpoint, endpointOf, isPostedTo, isServed, pauseGone } from './endpoint';

const person = { by: 'ann@example.com', reason: 'a new team' };
const endpoint = { url: 'https://billing.example/', secretRef: 'billing' };
const asked: ActOnConsumer = {
  ...{ ...person, requestId: 'e-1', consumer: 'billing', action: 'register_endpoint' },
  endpoint: { ...endpoint, transitions: ['suspended', 'created'] },
};
const registration = {
  ...{ ...person, requestId: 'e-1', action: 'register_endpoint' as const, at: at(1) },
  endpoint: asked.endpoint!,
};
const served = {
  ...{ _id: 'billing', status: 'registered' as const, registeredBy: person.by, registeredAt: at(1) },
  ...{ transitions: ['created', 'suspended'] as const, answersTests: false, endpoint, actions: [registration] },
};
const record: ConsumerRecord = { ...served, ...stamp };
const { endpoint: _, ...withoutEndpoint } = record;
const overBroker = { ...withoutEndpoint, version: 3, contact: '#billing', actions: [] } as ConsumerRecord;
const gone = { ...overBroker, status: 'unregistered', unregisteredAt: at(0) } as ConsumerRecord;

describe('the registration of an endpoint', () => {
  it('of a new name records the endpoint, the person, and what the team said of itself', () => {
    expect(decideEndpoint(null, asked, at(1))).toStrictEqual({ next: served, returned: false });
    const told = { ...asked.endpoint!, contact: '#billing', answersTests: true };
    expect(decideEndpoint(null, { ...asked, endpoint: told }, at(1))).toStrictEqual({
      next: { ...served, answersTests: true, contact: '#billing', actions: [{ ...registration, endpoint: told }] },
      returned: false,
    });
  });

  it('of a name that has left replaces its release and contact, and what waits for it is due', () => {
    expect(decideEndpoint(gone, asked, at(1))).toStrictEqual({ next: served, returned: true });
  });

  it('replaces the endpoint of the name', () => {
    const moved = { ...asked.endpoint!, url: 'https://billing2.example/' };
    expect(decideEndpoint(record, { ...asked, requestId: 'e-2', endpoint: moved }, at(2))).toMatchObject({
      next: { endpoint: { url: moved.url }, registeredAt: at(2), actions: [registration, { requestId: 'e-2' }] },
      returned: false,
    });
  });

  it('is refused without an endpoint, and for a name that reads the broker; a repeat changes nothing', () => {
    const { endpoint: _endpoint, ...bare } = asked;
    expect(decideEndpoint(null, bare, at(1))).toEqual({ refused: 'no_endpoint' });
    expect(decideEndpoint(overBroker, asked, at(1))).toEqual({ refused: 'served_by_broker' });
    expect(decideEndpoint(record, asked, at(2))).toEqual({ answer: 'already_done' });
  });

  it.each<[string, object]>([
    ['transitions', { transitions: ['suspended'] }],
    ['contact', { contact: '#billing' }],
    ['readiness for tests', { answersTests: true }],
  ])('under the id of one with another %s is refused, and is no repeat', (_what, over) => {
    const other = { ...asked, endpoint: { ...asked.endpoint!, ...over } };
    expect(decideEndpoint(record, other, at(2))).toEqual({ refused: 'request_id_reused' });
  });

  it('is a repeat whatever the order of its transitions, and of a former build by address and secret', () => {
    const turned = { ...asked, endpoint: { ...asked.endpoint!, transitions: ['created', 'suspended'] as const } };
    expect(decideEndpoint(record, turned as unknown as ActOnConsumer, at(2))).toEqual({ answer: 'already_done' });
    const former = { ...record, actions: [{ ...registration, endpoint }] };
    expect(decideEndpoint(former, asked, at(2))).toEqual({ answer: 'already_done' });
  });
});

describe('the end of an endpoint', () => {
  const removal: ActOnConsumer = { ...person, requestId: 'e-2', consumer: 'billing', action: 'remove_endpoint' };

  it('unregisters its consumer, and the record keeps who ended it', () => {
    const { endpoint: _endpoint, ...rest } = served;
    expect(decideEndpoint(record, removal, at(2))).toStrictEqual({
      next: {
        ...{ ...rest, status: 'unregistered', unregisteredAt: at(2) },
        actions: [registration, { ...person, requestId: 'e-2', action: 'remove_endpoint', at: at(2) }],
      },
      returned: false,
    });
  });

  it('is refused where there is none', () => {
    for (const none of [null, overBroker, gone])
      expect(decideEndpoint(none, removal, at(2))).toEqual({ refused: 'no_endpoint' });
  });
});

describe('a consumer with an endpoint', () => {
  it('gets its messages while it is registered and not paused', () => {
    const each = [record, { ...record, paused: true }, overBroker, { ...gone, endpoint }, null, undefined];
    expect(each.map(isServed)).toEqual([true, true, false, false, false, false]);
    expect(each.map(isPostedTo)).toEqual([true, false, false, false, false, false]);
    expect([endpointOf(record), endpointOf(overBroker)]).toEqual([{ endpoint }, {}]);
  });

  it('is paused when its endpoint says that it is gone, unless another one is in force or nothing is posted', () => {
    const pause = { requestId: 'gone-7', action: 'pause', by: 'lifecycle-delivery', at: at(2) };
    expect(pauseGone(record, endpoint.url, 'gone-7', at(2))).toStrictEqual({
      ...served,
      paused: true,
      actions: [registration, { ...pause, reason: 'its endpoint answered 410 Gone' }],
    });
    expect(pauseGone(record, 'https://former.example/', 'gone-7', at(2))).toBeNull();
    expect(pauseGone({ ...record, paused: true }, endpoint.url, 'gone-7', at(2))).toBeNull();
  });
});
