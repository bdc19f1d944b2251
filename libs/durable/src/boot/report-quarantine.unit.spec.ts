import { createManualClock, silentLog, type Log } from '@platform/kernel';
import { createFakeBroker } from '@platform/messaging/testing';
import { createFakeStore } from '@platform/mongo/testing';
import { createQuarantineReport } from './report-quarantine';

const notes = { name: 'notes', indexes: [] };

function setStage() {
  const clock = createManualClock();
  const errors: unknown[] = [];
  const figures: unknown[] = [];
  const report = createQuarantineReport({
    service: 'operator',
    clock,
    log: { ...silentLog, error: (fields: unknown) => void errors.push(fields) } as Log,
    metrics: { gauge: () => ({ set: () => undefined, add: (labels) => void figures.push(labels) }) },
  });
  const store = createFakeStore({ clock, onQuarantined: (record) => report.note(record) });
  const broker = createFakeBroker({ clock });
  return { store, broker, messaging: broker.connect('operator'), report, errors, figures };
}

describe('a record that was set aside', () => {
  it('is an error, a figure and an alert, each once, however often it is met', async () => {
    const { store, broker, messaging, report, errors, figures } = setStage();
    const collection = store.collection(notes);
    collection.put({ _id: 'n-1', text: 'of an older release' });
    for (let met = 0; met < 3; met += 1) expect(await collection.find({}, { limit: 10 })).toEqual([]);
    await report.publish(messaging);
    await report.publish(messaging);
    const record = { collection: 'notes', id: 'n-1', why: 'carries no revision' };
    expect(errors).toEqual([record]);
    expect(figures).toEqual([{ collection: 'notes' }]);
    expect(broker.published).toMatchObject([
      {
        subject: 'alert.reconciliation_required.operator.quarantined_record',
        stream: 'ALERTS',
        body: {
          service: 'operator',
          kind: 'quarantined_record',
          id: 'notes/n-1',
          reason: expect.stringContaining('no revision'),
        },
      },
    ]);
  });

  it('is alerted when the broker is there again', async () => {
    const { store, broker, messaging, report } = setStage();
    const collection = store.collection(notes);
    collection.put({ _id: 'n-1' });
    broker.disconnect('operator');
    await collection.find({}, { limit: 10 });
    await report.publish(messaging);
    broker.reconnect('operator');
    await report.publish(messaging);
    expect(broker.published.map(({ stream }) => stream)).toEqual([null, 'ALERTS']);
  });
});
