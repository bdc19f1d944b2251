import type { Log, Revisioned } from '@platform/kernel';
import { createFakeStore } from '../testing';
import type { CollectionDeclaration } from '../port';
import { tellSteps } from './tell-steps';

interface Order extends Revisioned {
  readonly tenantId: string;
  readonly status: string;
  readonly tries: number;
  readonly note?: string;
}
const orders: CollectionDeclaration<Order> = {
  name: 'orders',
  indexes: [],
  tells: ({ _id, tenantId, status, tries }) => ({
    ...{ record: 'order', operationId: _id, tenantId },
    state: status,
    attempt: tries,
  }),
};

function stage(declaration = orders) {
  const said: Readonly<Record<string, unknown>>[] = [];
  const log = { info: (fields: Readonly<Record<string, unknown>>) => said.push(fields) } as unknown as Log;
  const store = createFakeStore();
  const stored = store.collection(orders);
  return { said, store, stored, told: tellSteps(stored, declaration, log) };
}
const draft = { _id: 'op-1', tenantId: 'acme', status: 'pending', tries: 0 };

describe('the steps of a record', () => {
  it('are logged once each, with the ids by which they are searched', async () => {
    const { said, told } = stage();
    await told.insert(draft);
    const begun = (await told.findById('op-1'))!;
    await told.mutate(begun, { ...draft, status: 'running', tries: 1 });
    expect(said).toEqual([
      { record: 'order', id: 'op-1', operationId: 'op-1', tenantId: 'acme', attempt: 0, to: 'pending' },
      {
        record: 'order',
        id: 'op-1',
        operationId: 'op-1',
        tenantId: 'acme',
        attempt: 1,
        from: 'pending',
        to: 'running',
      },
    ]);
  });

  it('are another attempt in the same state, too, and no other change', async () => {
    const { said, told } = stage();
    await told.insert(draft);
    await told.mutate((await told.findById('op-1'))!, { ...draft, note: 'looked at' });
    await told.mutate((await told.findById('op-1'))!, { ...draft, tries: 1 });
    expect(said.map(({ attempt }) => attempt)).toEqual([0, 1]);
  });

  it('are not told by a write that lost, or whose outcome is not known', async () => {
    const { said, told, stored, store } = stage();
    await told.insert(draft);
    const stale = (await told.findById('op-1'))!;
    await stored.mutate(stale, { ...draft, status: 'running' });
    await told.mutate(stale, { ...draft, status: 'failed' });
    await told.insert(draft);
    store.setAvailable(false);
    await told.mutate(stale, { ...draft, status: 'failed' });
    expect(said).toHaveLength(1);
  });

  it('are not told where the collection does not say what they are', () => {
    const { told, stored } = stage({ name: 'orders', indexes: [] });
    expect(told).toBe(stored);
  });
});
