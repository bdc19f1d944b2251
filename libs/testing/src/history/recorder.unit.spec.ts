import { createHistoryRecorder, createTickingClock } from './recorder';

interface Row {
  readonly _id: string;
  readonly revision: string;
}

/** A store in the form that services use, in three lines of logic. */
function createStore() {
  const rows = new Map<string, Row>();
  let writes = 0;
  const collection = (name: string) => ({
    name,
    insert: async (draft: { readonly _id: string }) => {
      const record = { ...draft, revision: `r${(writes += 1)}` };
      rows.set(`${name}/${draft._id}`, record);
      return { outcome: 'applied', record };
    },
    mutate: async (current: Row, next: { readonly _id: string }) => {
      if (rows.get(`${name}/${current._id}`)?.revision !== current.revision) return { outcome: 'not_applied' };
      const record = { ...next, revision: `r${(writes += 1)}` };
      rows.set(`${name}/${current._id}`, record);
      return { outcome: 'applied', record };
    },
    count: async () => [...rows.keys()].filter((key) => key.startsWith(`${name}/`)).length,
  });
  return { collection: ({ name }: { readonly name: string }) => collection(name), ping: async () => 'pong' };
}

describe('the history recorder', () => {
  it('logs access, transitions, statuses and writes, applied and refused, in one order', async () => {
    const recorder = createHistoryRecorder({ clock: createTickingClock() });
    const store = recorder.watchStore(createStore());
    const subscriptions = store.collection({ name: 'subscriptions' });
    const operations = store.collection({ name: 'operations' });
    const closed = { _id: 'acme', access: { state: 'closed', operationId: 'op' }, transition: { operationId: 'op' } };
    const opened = await subscriptions.insert({ _id: 'acme', access: { state: 'open', operationId: null } } as {
      _id: string;
    });
    await operations.insert({ _id: 'op', status: 'running' } as { _id: string });
    const shut = await subscriptions.mutate(opened.record, closed);
    await subscriptions.mutate(opened.record, closed);
    await subscriptions.mutate(shut.record!, { _id: 'acme', access: closed.access } as { _id: string });
    const { accessLog, transitionLog, statusLog, writes } = recorder.logs;
    expect(accessLog.map(({ state, operationId }) => [state, operationId])).toEqual([
      ['open', null],
      ['closed', 'op'],
    ]);
    expect(transitionLog.map(({ change, operationId }) => [change, operationId])).toEqual([
      ['admitted', 'op'],
      ['cleared', 'op'],
    ]);
    expect(statusLog).toMatchObject([{ operationId: 'op', status: 'running' }]);
    expect(writes.map(({ id, expectedRevision, outcome }) => [id, expectedRevision, outcome])).toEqual([
      ['acme', null, 'applied'],
      ['op', null, 'applied'],
      ['acme', 'r1', 'applied'],
      ['acme', 'r1', 'not_applied'],
      ['acme', 'r3', 'applied'],
    ]);
    const instants = writes.map(({ at }) => at.valueOf());
    expect(new Set(instants).size).toBe(instants.length);
  });

  it('notices a write that changes what a resolution, or a final marker, has decided', async () => {
    const recorder = createHistoryRecorder({ clock: createTickingClock() });
    const store = recorder.watchStore(createStore());
    const operations = store.collection({ name: 'operations' });
    const markers = store.collection({ name: 'lifecycle_outbox' });
    const put = async (collection: typeof operations, ...versions: object[]) => {
      const [first, ...others] = versions as { readonly _id: string }[];
      let standing = (await collection.insert(first!)).record as Row;
      for (const version of others) standing = (await collection.mutate(standing, version as Row)).record!;
    };
    const resolved = { _id: 'op', status: 'failed', resolution: { outcome: 'not_applied' } };
    await put(operations, { _id: 'op', status: 'running' }, resolved, { ...resolved, outbox: [] });
    await put(
      markers,
      { _id: 'kept', provisioningState: 'committed' },
      { _id: 'kept', provisioningState: 'committed' },
    );
    expect(recorder.logs.overwrites).toEqual([]);
    await put(operations, { ...resolved, _id: 'op-2' }, { ...resolved, _id: 'op-2', status: 'succeeded' });
    await put(
      markers,
      { _id: 'turned', provisioningState: 'committed' },
      { _id: 'turned', provisioningState: 'cancelled' },
    );
    expect(recorder.logs.overwrites).toMatchObject([
      { collection: 'operations', id: 'op-2' },
      { collection: 'lifecycle_outbox', id: 'turned' },
    ]);
  });

  it('starts a chain of revisions from seeded records and leaves other methods alone', async () => {
    const recorder = createHistoryRecorder({ clock: createTickingClock() });
    const inner = createStore();
    const seeded = await inner
      .collection({ name: 'subscriptions' })
      .insert({ _id: 'acme', access: { state: 'open', operationId: null } } as { _id: string });
    recorder.seeded('subscriptions', seeded.record);
    const store = recorder.watchStore(inner);
    expect(recorder.logs.accessLog).toHaveLength(1);
    expect(await store.ping()).toBe('pong');
    expect(await store.collection({ name: 'subscriptions' }).count()).toBe(1);
  });
});
