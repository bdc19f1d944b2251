/** Which events the start of a process ends, and what the receiver and the operators get to know of it. */
import { losingWrites } from '@platform/durable/testing';
import { silentLog } from '@platform/kernel';
import { newAdmission } from '../domain/provider-event';
import { bootEvents, outcomesOf, providerEvent } from '../testing/event-world';
import { createOperatorWorld } from '../../testing/operator-world';
import type { EventPorts } from './event-ports';
import { stopInterruptedEvents } from './stop-interrupted-events';

type Boot = EventPorts['executor'];
type StateOf = Parameters<typeof stopInterruptedEvents>[1];

const superseded: StateOf = async () => 'superseded';

/** Events that another boot admitted and did not finish, and the start of the second boot of `operator-1`. */
async function open(executor: Partial<Boot> = {}, events = ['evt_1']) {
  const world = await createOperatorWorld();
  const { events: ports } = bootEvents(world, 2);
  const admitted = { ...ports.executor, incarnation: 'incarnation-1', ...executor };
  for (const eventId of events)
    await ports.admissions.insert(newAdmission(providerEvent(eventId, 'invoice.paid', { id: 'in_1' }), admitted, 't'));
  const warned: object[] = [];
  const log = { ...silentLog, warn: (fields: object) => void warned.push(fields) };
  const start = (stateOf: StateOf, change: Partial<EventPorts> = {}) =>
    stopInterruptedEvents({ ...ports, log, ...change }, stateOf);
  const recorded = (eventId = 'evt_1') => ports.admissions.findById(eventId);
  return { world, ports, warned, start, recorded };
}

describe('the start of a process', () => {
  it.each(['superseded', 'stopped'] as const)('ends the events of a boot that is %s, and says so', async (state) => {
    const { world, warned, start, recorded } = await open();
    const asked: string[] = [];
    const stateOf: StateOf = async (incarnation) => {
      asked.push(incarnation);
      return state;
    };
    expect(await start(stateOf)).toEqual(['evt_1']);
    expect(asked).toEqual(['incarnation-1']);
    expect(await recorded()).toMatchObject({ status: 'unknown', error: expect.stringContaining('ended before') });
    expect(outcomesOf(world)).toEqual({ evt_1: 'unknown' });
    expect(warned).toEqual([{ events: ['evt_1'], count: 1 }]);
  });

  it.each(['open', 'unknown'] as const)('leaves the events of a boot that is %s', async (state) => {
    const { world, warned, start, recorded } = await open();
    expect([await start(async () => state), outcomesOf(world), warned]).toEqual([[], {}, []]);
    expect(await recorded()).toMatchObject({ status: 'pending' });
  });

  it.each([
    ['this boot', { incarnation: 'incarnation-2' }],
    ['another instance', { instance: 'operator-2' }],
  ])('leaves the events of %s', async (_whose, executor) => {
    const { start, recorded } = await open(executor);
    expect(await start(superseded)).toEqual([]);
    expect(await recorded()).toMatchObject({ status: 'pending' });
  });

  it('neither publishes nor names an event whose end it could not record', async () => {
    const { world, ports, warned, start } = await open();
    expect(await start(superseded, { admissions: losingWrites(ports.admissions) })).toEqual([]);
    expect([outcomesOf(world), warned]).toEqual([{}, []]);
  });

  it('leaves the end in the record for the sweep while it has not been published', async () => {
    const { ports, start } = await open();
    await start(superseded, { publishEventNow: () => undefined });
    expect(await ports.admissions.outbox.pending(10)).toMatchObject([
      { recordId: 'evt_1', entry: { id: 'provider-outcome:evt_1', body: { outcome: 'unknown' } } },
    ]);
  });

  it('counts the events that it ended, and names the first fifty', async () => {
    const ids = Array.from({ length: 51 }, (_, at) => `evt_${String(at).padStart(2, '0')}`);
    const { warned, start } = await open({}, ids);
    expect(await start(superseded)).toEqual(ids);
    expect(warned).toEqual([{ events: ids.slice(0, 50), count: 51 }]);
  });
});
