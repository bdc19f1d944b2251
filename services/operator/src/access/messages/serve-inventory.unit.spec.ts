/** What consumers get that ask for a page of the inventory, and what the gateway takes from provisioning. */
import { inventorySubject, type InventoryPage } from '@platform/contracts-operator';
import { tenantRequests } from '@platform/contracts-provisioning';
import { createManualClock, ok } from '@platform/kernel';
import type { Endpoint } from '@platform/messaging';
import { createFakeBroker } from '@platform/messaging/testing';
import { StoreUnavailableError } from '@platform/mongo';
import { inventoryEndpoint, tenantRowsOf } from './serve-inventory';

const about = { version: '1.0.0', description: 'inventory' };

async function serving(name: string, endpoints: readonly Endpoint[]) {
  const broker = createFakeBroker({ clock: createManualClock() });
  await broker.connect(name).serve({ name, ...about }, endpoints);
  return broker;
}

const asking = (read: Parameters<typeof inventoryEndpoint>[0]) => async (body: object) => {
  const broker = await serving('operator', [inventoryEndpoint(read)]);
  return broker.connect('storage').request(inventorySubject, { ...body }, 1_000);
};

const page: InventoryPage = {
  tenants: [{ tenantId: 'acme', committed: true, access: { state: 'open', revision: 1 } }],
  nextCursor: 'acme',
};

describe('the answer on the inventory', () => {
  it('is the page that was asked for', async () => {
    const asked: object[] = [];
    const ask = asking(async (request) => {
      asked.push(request);
      return page;
    });
    expect(await ask({ cursor: 'aaron', limit: 7 })).toEqual(ok(page));
    expect(await ask({})).toEqual(ok(page));
    expect(asked).toEqual([{ cursor: 'aaron', limit: 7 }, { limit: 100 }]);
  });

  it('is the first page for a question without a body', async () => {
    const { answer } = inventoryEndpoint(async () => page);
    expect(await answer(undefined, inventorySubject)).toEqual(ok(page));
  });

  it.each([
    ['invalid_request', 'a size that no page has', { limit: 501 }, async () => page],
    ['provisioning_unavailable', 'a list that provisioning does not give', {}, async () => null],
    ['store_unavailable', 'a store that cannot be asked', {}, () => Promise.reject(new StoreUnavailableError('away'))],
    ['internal_error', 'any other failure', {}, () => Promise.reject(new Error('the record cannot be read'))],
  ])('is the refusal %s for %s', async (serverCode, _case, body, read) => {
    expect(await asking(read)(body)).toMatchObject({ ok: false, error: { serverCode } });
  });

  it('is found by its name in the list of services of the broker', () => {
    expect(inventoryEndpoint(async () => null).name).toMatch(/^[a-z-]+$/);
  });
});

describe("provisioning's part of a page", () => {
  const part = { rows: [{ tenantId: 'acme', status: 'provisioned' }], committed: ['acme'] };
  const request = { after: 'aaron', limit: 7, judge: ['acme'] };

  it.each([
    ['what provisioning answers', ok(part), part],
    ['none when the answer is not readable', ok({ rows: 'all of them' }), null],
  ])('is %s', async (_case, answer, expected) => {
    const asked: unknown[] = [];
    const endpoint: Endpoint = {
      name: 'tenants',
      subject: tenantRequests.page,
      answer: async (body) => {
        asked.push(body);
        return answer;
      },
    };
    const broker = await serving('provisioning', [endpoint]);
    expect(await tenantRowsOf(broker.connect('operator'))(request)).toEqual(expected);
    expect(asked).toEqual([request]);
  });

  it('is none while provisioning does not answer', async () => {
    const broker = await serving('provisioning', []);
    expect(await tenantRowsOf(broker.connect('operator'))(request)).toBeNull();
  });
});
