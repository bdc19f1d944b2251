/** What the receiver of events gets when it asks the operator what became of one. */
import { providerAdmissionRequests } from '@platform/contracts-provisioning';
import type { AskExecutors } from '@platform/durable/executors';
import { createManualClock, ok, type ExecutorKnowledge } from '@platform/kernel';
import { createFakeBroker } from '@platform/messaging/testing';
import { createFakeStore } from '@platform/mongo/testing';
import { failedWith, handled, type HandlerOutcome } from '../../operations/domain/event-outcome';
import { finish, newAdmission, type PendingAdmission } from '../domain/provider-event';
import { providerEventAdmissionsCollection } from '../store/provider-event-admissions';
import { providerEvent } from '../testing/event-world';
import { admissionKey } from '../workflows/admission-key';
import { admissionEndpoint } from './serve-admissions';

const executor = { service: 'operator', instance: 'operator-1', incarnation: 'i-1' };
const notAsked: AskExecutors = () => Promise.reject(new Error('no process is asked about an event that has ended'));

async function open(askExecutors: AskExecutors = notAsked) {
  const clock = createManualClock();
  const store = createFakeStore({ clock });
  const admissions = store.collection(providerEventAdmissionsCollection);
  const admitted = await admissions.insert(
    newAdmission(providerEvent('evt_1', 'invoice.paid', { id: 'in_1' }), executor, 'token'),
  );
  if (admitted.outcome !== 'applied') throw new Error('the event was not admitted');
  const end = (outcome: HandlerOutcome) =>
    admissions.mutate(admitted.record, finish(admitted.record as PendingAdmission, outcome, clock.now()));
  const broker = createFakeBroker({ clock });
  const endpoint = admissionEndpoint({ admissions, askExecutors });
  await broker.connect('operator').serve({ name: 'operator', version: '1.0.0', description: 'events' }, [endpoint]);
  const ask = async (body: object = { eventId: 'evt_1' }) =>
    broker.connect('billing-webhook').request(providerAdmissionRequests.operator, { ...body }, 1_000);
  return { store, admissions, end, ask, endpoint };
}

describe('the answer about an event', () => {
  it('is that it was not admitted while its message waits', async () => {
    const { ask } = await open();
    expect(await ask({ eventId: 'evt_2' })).toEqual(ok({ status: 'not_admitted' }));
  });

  it.each([
    [handled, { status: 'success' }],
    [failedWith('the card is unknown'), { status: 'failed', error: 'the card is unknown' }],
  ])('is its recorded end %j, and no process is asked', async (outcome, answer) => {
    const { end, ask } = await open();
    await end(outcome);
    expect(await ask()).toEqual(ok(answer));
  });

  it.each<ExecutorKnowledge>([
    { state: 'alive' },
    { state: 'not_proven', lastHeardOf: '2026-01-01T00:00:00.000Z' },
    { state: 'not_under_way' },
  ])('is what is known of its process while it has no end: %j', async (knowledge) => {
    const asked: unknown[] = [];
    const { ask } = await open(async (questions) => {
      asked.push(questions);
      return [knowledge];
    });
    expect(await ask()).toEqual(ok({ status: 'pending', executor: knowledge }));
    expect(asked).toEqual([[{ key: admissionKey('evt_1'), executor }]]);
  });

  it('is its end when its process has written it and gone between the question and the answer', async () => {
    const stage: Awaited<ReturnType<typeof open>> = await open(async () => {
      await stage.end(handled);
      return [{ state: 'not_under_way' }];
    });
    expect(await stage.ask()).toEqual(ok({ status: 'success' }));
  });

  it('is read once while its process is at work on it', async () => {
    let reads = 0;
    const { admissions } = await open();
    const counted = {
      ...admissions,
      findById: (id: string) => {
        reads += 1;
        return admissions.findById(id);
      },
    };
    const { answer } = admissionEndpoint({ admissions: counted, askExecutors: async () => [{ state: 'alive' }] });
    await answer({ eventId: 'evt_1' }, providerAdmissionRequests.operator);
    expect(reads).toBe(1);
  });

  it('names no process when none was found, and no record when it is gone', async () => {
    const { ask, admissions } = await open(async () => []);
    expect(await ask()).toEqual(ok({ status: 'pending' }));
    const reads = [await admissions.findById('evt_1'), null];
    const { answer } = admissionEndpoint({
      admissions: { ...admissions, findById: async () => reads.shift() ?? null },
      askExecutors: async () => [{ state: 'not_proven' }],
    });
    const again = await answer({ eventId: 'evt_1' }, providerAdmissionRequests.operator);
    expect(again).toEqual(ok({ status: 'pending', executor: { state: 'not_proven' } }));
  });
});

describe('a question about an event that has no answer', () => {
  it('is refused when it names no event, and while the store cannot be asked', async () => {
    const { ask, store } = await open();
    expect(await ask({})).toMatchObject({ error: { serverCode: 'invalid_request' } });
    store.setAvailable(false);
    expect(await ask()).toMatchObject({ error: { serverCode: 'store_unavailable' } });
  });

  it('is an error of the service when the record cannot be read', async () => {
    const { ask } = await open(() => Promise.reject(new Error('the register is broken')));
    expect(await ask()).toMatchObject({ error: { serverCode: 'internal_error' } });
  });

  it('goes to an endpoint that the broker lists by its name', async () => {
    expect((await open()).endpoint.name).toMatch(/^[a-z-]+$/);
  });
});
