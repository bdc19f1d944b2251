/** How a team over HTTP is registered: by a person, in one way at a time, and only where it may be posted to. */
import { settle as turns } from '@platform/testing';
import { silentLog } from '@platform/kernel';
import { startDelivery, type RunningDelivery } from './delivery';
import { createHttpWorld, team, urlOf, type HttpWorld } from './testing/http-world';

const other = 'crm';

describe('a team over HTTP', () => {
  let world: HttpWorld;
  let running: RunningDelivery;
  beforeEach(async () => {
    world = createHttpWorld();
    const resources = { store: world.store, clock: world.clock, random: () => 0, log: silentLog, http: world.http };
    running = await startDelivery({ ...resources, messaging: await world.connect() });
  });
  afterEach(() => running.close());

  async function register(consumer = team): Promise<void> {
    expect(await world.ask('register_endpoint', { consumer })).toBe('done');
    await turns(10);
  }

  it('is served in one way at a time', async () => {
    expect(await world.registerOverBroker()).toBe('done');
    expect(await world.ask('register_endpoint')).toBe('served_by_broker');
    expect(await world.ask('remove_endpoint')).toBe('no_endpoint');
    await register(other);
    expect(await world.registerOverBroker(other)).toBe('served_over_http');
    expect(await world.ask('register_endpoint', { consumer: other })).toBe('done');
    expect(await world.ask('register_endpoint', { consumer: other, by: 'bob@example.com' })).toBe('request_id_reused');
    expect(await world.ask('remove_endpoint', { consumer: other })).toBe('done');
    expect(await world.view(other)).toMatchObject({ status: 'unregistered' });
    expect((await world.view(other))?.['endpoint']).toBeUndefined();
    expect(await world.registerOverBroker(other)).toBe('done');
  });

  it.each([
    ['plain HTTP', 'http://billing.example/'],
    ['an address inside', 'https://10.0.0.1/'],
    ['the metadata service of a cloud', 'https://169.254.169.254/latest'],
  ])('is not registered with %s', async (_what, url) => {
    const endpoint = { url, secretRef: team, transitions: ['suspended' as const] };
    expect(await world.ask('register_endpoint', { endpoint })).toBe('endpoint_not_allowed');
    expect(world.consumers.all()).toEqual([]);
  });

  it.each([
    ['credentials in its address', { url: 'https://ann:secret@billing.example/', secretRef: team }],
    ['a path as the name of its secret', { url: urlOf(team), secretRef: '../mongodb_url' }],
    ['another scheme', { url: 'file:///etc/passwd', secretRef: team }],
  ])('is not registered with %s', async (_what, wrong) => {
    const endpoint = { ...wrong, transitions: ['suspended' as const] };
    expect(await world.ask('register_endpoint', { endpoint })).toBe('invalid_request');
  });

  it('is registered once when two people register it at the same moment, and both requests are on record', async () => {
    const [one, other] = await Promise.all(
      ['one', 'other'].map((path) =>
        world.ask('register_endpoint', {
          requestId: path,
          endpoint: { url: urlOf(team, `/${path}`), secretRef: team, transitions: ['suspended'] },
        }),
      ),
    );
    expect([one, other]).toEqual(['done', 'done']);
    const [record] = world.consumers.all();
    expect(record?.actions?.map(({ requestId }) => requestId).sort()).toEqual(['one', 'other']);
    // The later writer decided on the record of the earlier one.
    expect(record?.endpoint?.url).toBe(urlOf(team, `/${record?.actions?.at(-1)?.requestId}`));
  });
});
