/** Calls every endpoint through the official SDK; the judge checks each answer against the published shapes. */
import { endpoints } from '../resources';
import { apiVersion } from '../version';
import { checkoutFeatures } from './checkout.features';
import { customersFeatures } from './customers.features';
import { openHarness, type Harness } from './harness';
import { invoicesFeatures } from './invoices.features';
import { paymentsFeatures } from './payments.features';
import { subscriptionsFeatures } from './subscriptions.features';
import { shapesVersion } from './validate';

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness();
});
afterAll(() => harness.close());
afterEach(() => {
  expect(harness.complaints.splice(0)).toEqual([]);
});

describe('the published shapes', () => {
  it('are those of the version that the twin speaks', () => {
    expect(shapesVersion).toBe(apiVersion);
  });
});

const open = (): Harness => harness;
customersFeatures(open);
subscriptionsFeatures(open);
invoicesFeatures(open);
paymentsFeatures(open);
checkoutFeatures(open);

describe('the interface as a whole', () => {
  it('was driven at every endpoint that is offered', async () => {
    const { requests } = await harness.control<{ requests: { method: string; path: string }[] }>(
      'GET',
      '/_twin/requests',
    );
    const undriven = endpoints.filter(({ method, path }) => {
      const pattern = new RegExp(`^${path.replaceAll(/:[a-z]+/gi, '[^/]+')}$`);
      return !requests.some((each) => each.method === method && pattern.test(each.path));
    });
    expect(undriven.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
  });

  it('emitted only events whose objects have the published shapes', async () => {
    for await (const event of harness.stripe.events.list({ limit: 100 })) expect(event.object).toBe('event');
  });
});
