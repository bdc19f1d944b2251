import {
  createManualClock,
  createSequentialIds,
  noTracing,
  type OutboxEntry,
  type Revisioned,
  type Tracing,
} from '@platform/kernel';
import { createFakeStore } from '../testing';
import { traceCollection } from './trace-collection';

interface Sample extends Revisioned {
  readonly status: string;
}

const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
const entry: OutboxEntry = {
  id: 'm-1',
  subject: 'a.b',
  type: 'a.b.v1',
  body: {},
  closesOn: 'publish_ack',
  createdAt: new Date(0),
};

function open(over: Partial<Tracing>) {
  const store = createFakeStore({ clock: createManualClock(), ids: createSequentialIds() });
  const steps: string[] = [];
  const tracing: Tracing = {
    ...noTracing,
    traceparent: () => traceparent,
    step: (step, work) =>
      work({
        traceparent,
        note: (attributes, failure) =>
          void steps.push(`${step.name} ${String(attributes['platform.write_outcome'])}${failure ? ' failed' : ''}`),
      }),
    ...over,
  };
  const plain = store.collection<Sample>({ name: 'samples', indexes: [], announces: true });
  return { store, steps, plain, collection: traceCollection(plain, 'db', tracing) };
}

describe('a traced collection', () => {
  it('stamps messages with the trace of their decision, and keeps one that is there', async () => {
    const { collection, plain } = open({});
    await collection.insert({ _id: 's-1', status: 'new' }, [entry, { ...entry, id: 'm-2', traceparent: 'given' }]);
    expect((await plain.outbox.pending(10)).map((each) => each.entry.traceparent)).toEqual([traceparent, 'given']);
  });

  it('stamps nothing outside of any trace', async () => {
    const { collection, plain } = open({ traceparent: () => undefined });
    await collection.insert({ _id: 's-1', status: 'new' }, [entry]);
    expect((await plain.outbox.pending(10))[0]?.entry).not.toHaveProperty('traceparent');
  });

  it('records statements by collection and outcome', async () => {
    const { collection, steps, store } = open({ recording: true });
    await collection.insert({ _id: 's-1', status: 'new' });
    const record = await collection.findById('s-1');
    await collection.mutate(record!, { ...record!, status: 'old' });
    store.setAvailable(false);
    await collection.mutate(record!, { ...record!, status: 'older' });
    expect(steps).toEqual(['samples.insert applied', 'samples.mutate applied', 'samples.mutate unknown failed']);
  });
});
