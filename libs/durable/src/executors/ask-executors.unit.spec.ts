/** Questions about work as they travel: what a process refuses, and how many pieces of work one request names. */
import { createManualClock, refused, silentLog, type Executor } from '@platform/kernel';
import type { Messaging } from '@platform/messaging';
import { createFakeBroker } from '@platform/messaging/testing';
import { createAskExecutors, workEndpoint } from './ask-executors';
import { createWorkRegister } from './work-register';

const executor: Executor = { service: 'operator', instance: 'operator-1', incarnation: 'boot-1' };
const subject = 'executor.work.operator.boot-1';
const clock = createManualClock();
const boot = { findById: async () => ({ _id: 'boot-1', startedAt: clock.now() }) as never };

/** The process, with all of this work under way. */
async function serving(keys: readonly string[]) {
  const patience = { tries: 1, pause: () => Promise.resolve() };
  const register = createWorkRegister({ patience, clock, log: silentLog });
  for (const key of keys) void register.run(key, () => new Promise<never>(() => undefined));
  const broker = createFakeBroker({ clock });
  const endpoint = workEndpoint(executor, register);
  await broker.connect('operator').serve({ name: 'operator', version: '1', description: 'work' }, [endpoint]);
  return { endpoint, messaging: broker.connect('gateway') };
}

/** Asks about all of this work; `request` sees each request with its number and may answer in place of the process. */
async function asked(keys: readonly string[], request: (messaging: Messaging, number: number) => Messaging['request']) {
  const { messaging } = await serving(keys);
  let requests = 0;
  const ask = createAskExecutors({
    messaging: { request: (...question) => request(messaging, (requests += 1))(...question) },
    boots: boot,
    now: () => clock.now(),
  });
  const known = await ask(keys.map((key) => ({ key, executor })));
  return { requests, states: new Set(known.map(({ state }) => state)) };
}

const work = (count: number) => Array.from({ length: count }, (_each, at) => `operations/op-${at}`);

describe('the address at which a process answers about its work', () => {
  it('is named for the tools of the broker and belongs to one boot', async () => {
    const { endpoint } = await serving([]);
    expect(endpoint).toEqual({ name: 'work', subject, answer: expect.any(Function) });
  });

  it.each<[string, Record<string, unknown>]>([
    ['without keys', {}],
    ['with more than 200 keys', { keys: work(201) }],
    ['with a key of more than 500 characters', { keys: ['x'.repeat(501)] }],
  ])('refuses a question %s', async (_case, question) => {
    const { messaging } = await serving([]);
    expect(await messaging.request(subject, question, 1_000)).toMatchObject({
      ok: false,
      error: { code: 'refused', serverCode: 'invalid_request' },
    });
  });
});

describe('a question about more work than one request names', () => {
  it.each([
    [200, 1],
    [400, 2],
    [401, 3],
  ])('about %i pieces takes %i requests, and each piece has its answer', async (pieces, requests) => {
    expect(await asked(work(pieces), ({ request }) => request)).toEqual({ requests, states: new Set(['alive']) });
  });

  it.each<[string, Messaging['request']]>([
    ['has no answer', async () => refused({ code: 'timeout' as const, message: 'no answer' })],
    ['has an answer that this build cannot read', async () => ({ ok: true, value: { work: [{ key: 7 }] } })],
  ])('proves nothing when one of its requests %s', async (_case, unanswered) => {
    const once = ({ request }: Messaging, number: number) => (number === 2 ? unanswered : request);
    expect(await asked(work(400), once)).toEqual({ requests: 2, states: new Set(['not_proven']) });
  });
});
