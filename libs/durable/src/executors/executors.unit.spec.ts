/** Which executors are alive, and what is announced of the silent ones: two processes, one of which ends. */
import { createManualClock, createSequentialIds, executorSubject, refused, silentLog } from '@platform/kernel';
import type { Endpoint, Messaging } from '@platform/messaging';
import { createFakeStore } from '@platform/mongo/testing';
import { registerIncarnation } from '@platform/service-host';
import { incarnationsCollection } from '../boot/incarnations';
import { createInterruptedWatch, interruptionNoticesCollection, type RunningWork } from './announce-interrupted';
import { createAskExecutors, createIsUnderWay, workEndpoint } from './ask-executors';
import { openPeople } from '../investigation/people';
import { recordInstanceGone } from './instance-command';
import { noBootOpen } from './options.cjs';
import { createWorkRegister } from './work-register';

const executorOf = (number: number) => ({
  service: 'operator',
  instance: `operator-${number}`,
  incarnation: `boot-${number}`,
});

async function setStage() {
  const clock = createManualClock();
  const store = createFakeStore({ clock, ids: createSequentialIds() });
  const boots = store.collection(incarnationsCollection);
  const serving = new Map<string, Endpoint>();
  let asked = 0;
  const messaging: Pick<Messaging, 'request'> = {
    request: async (subject, body) => {
      asked += 1;
      const endpoint = serving.get(subject);
      if (!endpoint) return refused({ code: 'no_responders' as const, message: 'no responders' });
      const answer = await endpoint.answer(body, subject);
      return answer.ok ? answer : refused({ code: 'refused' as const, message: answer.error.message });
    },
  };
  const patience = { tries: 1, pause: () => Promise.resolve() };
  const boot = async (number: number) => {
    const executor = executorOf(number);
    const register = createWorkRegister({ patience, clock, log: silentLog });
    const registered = await registerIncarnation({ records: boots, executor, clock });
    serving.set(executorSubject(executor), workEndpoint(executor, register));
    return { executor, register, registered, kill: () => serving.delete(executorSubject(executor)) };
  };
  const [one, two] = [await boot(1), await boot(2)];
  const ask = createAskExecutors({ messaging, boots, own: one, now: () => clock.now() });
  return { clock, store, boots, one, two, ask, asked: () => asked };
}

const question = { key: 'operations/op-1', executor: executorOf(2) };
const never = () => new Promise<never>(() => undefined);

describe('an executor that is asked', () => {
  it('is alive only while the work is under way in that very process', async () => {
    const { ask, two } = await setStage();
    void two.register.run(question.key, never);
    expect(await ask([question, { ...question, key: 'operations/op-2' }])).toMatchObject([
      { state: 'alive' },
      { state: 'not_under_way' },
    ]);
  });

  it('is not proven to be anything once it is killed, with its last sign of life, however much time passes', async () => {
    const { ask, two, clock } = await setStage();
    void two.register.run(question.key, never);
    clock.advance(60_000);
    await two.registered.heard();
    const heard = clock.now().toISOString();
    two.kill();
    clock.advance(365 * 86_400_000);
    expect(await ask([question])).toEqual([{ state: 'not_proven', lastHeardOf: heard }]);
    const wroteAt = new Date(Date.parse(heard) + 5_000);
    expect(await ask([{ ...question, wroteAt }])).toEqual([
      { state: 'not_proven', lastHeardOf: wroteAt.toISOString() },
    ]);
  });

  it('says that it works on what has no record, until it has stopped', async () => {
    const { ask, boots, two } = await setStage();
    const isUnderWay = createIsUnderWay(boots, 'operator', ask);
    void two.register.run(question.key, never);
    const seen = [await isUnderWay(question.key), await isUnderWay('operations/op-2')];
    await two.registered.stop();
    expect([...seen, await isUnderWay(question.key)]).toEqual([true, false, false]);
  });

  it('tells what it could not record', async () => {
    const { ask, two, clock } = await setStage();
    void two.register.run(question.key, never);
    const unrecorded = { since: clock.now(), reason: 'no answer' };
    jest.spyOn(two.register, 'find').mockReturnValue({ key: question.key, since: clock.now(), unrecorded });
    expect(await ask([question])).toMatchObject([{ state: 'alive', unrecorded: { reason: 'no answer' } }]);
  });

  it('is asked once, however many pieces of work name it; the own process and ended ones are not asked', async () => {
    const { ask, one, two, asked } = await setStage();
    const own = { key: 'operations/op-3', executor: one.executor };
    void one.register.run(own.key, never);
    expect(await ask([question, { ...question, key: 'operations/op-2' }, own])).toMatchObject([
      {},
      {},
      { state: 'alive' },
    ]);
    expect(asked()).toBe(1);
    await two.registered.stop();
    expect(await ask([question])).toMatchObject([{ state: 'stopped' }]);
    expect(asked()).toBe(1);
  });

  it('is superseded when a later boot of its instance has begun', async () => {
    const { ask, two, boots, clock } = await setStage();
    const heard = clock.now().toISOString();
    two.kill();
    await registerIncarnation({ records: boots, executor: { ...two.executor, incarnation: 'boot-later' }, clock });
    expect(await ask([question])).toEqual([{ state: 'superseded', lastHeardOf: heard }]);
  });

  it('is unknown when no register names it', async () => {
    const { ask } = await setStage();
    expect(await ask([{ key: 'operations/op-1', executor: executorOf(9) }])).toEqual([{ state: 'unknown' }]);
  });
});

describe('running work whose executor does not answer', () => {
  const work: RunningWork = {
    ...question,
    about: { kind: 'operation', id: 'op-1', tenantId: 'acme', run: 'npm run ops -- evidence operation op-1' },
  };

  async function watched() {
    const stage = await setStage();
    const notices = stage.store.collection(interruptionNoticesCollection);
    const published: string[] = [];
    const warnings: object[] = [];
    let running: readonly RunningWork[] = [work];
    const watch = () =>
      createInterruptedWatch({
        notices,
        ask: stage.ask,
        running: async () => running,
        publishNow: (_id, entries) => void published.push(...entries.map(({ id }) => id)),
        service: 'operator',
        clock: stage.clock,
        log: { ...silentLog, warn: (fields) => void warnings.push(fields) },
      });
    return { ...stage, notices, published, warnings, watch, end: () => void (running = []) };
  }

  it('is announced at the second look, once for all replicas and looks, with the line to run', async () => {
    const { two, watch, notices, published, warnings } = await watched();
    void two.register.run(work.key, never);
    const [one, other] = [watch(), watch()];
    await one.look();
    await one.look();
    expect(notices.all()).toEqual([]);
    two.kill();
    for (let round = 0; round < 3; round += 1) await Promise.all([one.look(), other.look()]);
    expect(published).toEqual(['alert:operator:operation:op-1:interrupted:boot-2']);
    expect(notices.all()).toMatchObject([
      { _id: 'operations/op-1@boot-2', outbox: [{ body: { tenantId: 'acme', run: work.about.run } }] },
    ]);
    expect(warnings).toEqual([{ work: work.key, executor: two.executor, state: 'not_proven' }]);
  });

  it('is counted while its executor is silent, from the second look on', async () => {
    const { two, watch, end } = await watched();
    const { look, interrupted } = watch();
    two.kill();
    const counts: number[] = [];
    for (const before of [() => undefined, () => undefined, () => undefined, end]) {
      before();
      await look();
      counts.push(interrupted());
    }
    expect(counts).toEqual([0, 1, 1, 0]);
  });

  it('is published later from the outbox of its notice when the answer of the store is lost', async () => {
    const { store, two, watch, notices, published } = await watched();
    const { look } = watch();
    two.kill();
    await look();
    store.loseNextWrite('after');
    await look();
    await look();
    expect(published).toEqual([]);
    expect(await notices.outbox.pending(10)).toMatchObject([{ recordId: 'operations/op-1@boot-2' }]);
  });

  it('raises no alarm when it ends between two looks', async () => {
    const { two, watch, notices, end } = await watched();
    two.kill();
    const { look } = watch();
    await look();
    end();
    await look();
    await look();
    expect(notices.all()).toEqual([]);
  });
});

describe('an instance that is declared gone', () => {
  const people = openPeople(async () => true, {});
  const request = {
    service: 'operator',
    instance: 'operator-2',
    proof: 'its node was removed',
    by: { email: 'ann@example.com', tokenFile: undefined },
    yes: true,
  };
  const terminal = () => {
    const said: string[] = [];
    const words: string[] = [];
    return {
      said,
      words,
      print: (text: string) => void said.push(text),
      complain: (text: string) => said.push(text) && 1,
      confirmed: async (word: string, what = '') => {
        words.push(`${what} ${word}`);
        return false;
      },
    };
  };

  it('is refused for a person whom no token proves', async () => {
    const { boots, ask, clock, two } = await setStage();
    two.kill();
    const elsewhere = openPeople(async () => false, {});
    const gone = { boots, ask, clock, people: elsewhere, terminal: terminal() };
    await expect(recordInstanceGone(gone, request)).rejects.toThrow('--token-file is missing');
    expect((await boots.findById(two.executor.incarnation))?.resolution).toBeUndefined();
  });

  it('is refused while one of its processes answers', async () => {
    const { boots, ask, clock, two } = await setStage();
    const screen = terminal();
    expect(await recordInstanceGone({ boots, ask, clock, people, terminal: screen }, request)).toBe(3);
    expect(screen.said.join()).toContain('resolution_contradicted');
    expect((await boots.findById(two.executor.incarnation))?.resolution).toBeUndefined();
  });

  it('is refused while its newest process answers, after more than a hundred others', async () => {
    const { boots, ask, clock, two } = await setStage();
    clock.advance(-60_000);
    const crash = (incarnation: string) =>
      registerIncarnation({ records: boots, executor: { ...two.executor, incarnation }, clock });
    for (let number = 1; number <= 100; number += 1) await crash(`crashed-${number}`);
    expect(await recordInstanceGone({ boots, ask, clock, people, terminal: terminal() }, request)).toBe(3);
    two.kill();
    const screen = terminal();
    expect(await recordInstanceGone({ boots, ask, clock, people, terminal: screen }, request)).toBe(0);
    expect(screen.said.join()).toContain('101 boots of operator-2 are declared gone');
    expect((await boots.findById('boot-2'))?.resolution).toBeDefined();
  });

  it('leaves out a boot that begins while the person is asked', async () => {
    const { boots, ask, clock, two } = await setStage();
    two.kill();
    const later = { ...two.executor, incarnation: 'boot-later' };
    const confirmed = async () => Boolean(await registerIncarnation({ records: boots, executor: later, clock }));
    const screen = { ...terminal(), confirmed };
    expect(await recordInstanceGone({ boots, ask, clock, people, terminal: screen }, { ...request, yes: false })).toBe(
      0,
    );
    expect(screen.said.join()).toContain('1 boots of operator-2 are declared gone');
    expect((await boots.findById('boot-2'))?.resolution).toBeDefined();
    expect((await boots.findById('boot-later'))?.resolution).toBeUndefined();
  });

  it('is named with who, when and why from then on, and its later boots are not', async () => {
    const { boots, ask, clock, two } = await setStage();
    two.kill();
    expect(await recordInstanceGone({ boots, ask, clock, people, terminal: terminal() }, request)).toBe(0);
    expect(await ask([question])).toMatchObject([
      {
        state: 'declared_gone',
        declaredGone: { by: 'ann@example.com', proof: 'its node was removed', at: clock.now().toISOString() },
      },
    ]);
    const later = { ...two.executor, incarnation: 'boot-later' };
    await registerIncarnation({ records: boots, executor: later, clock });
    expect((await boots.findById('boot-later'))?.resolution).toBeUndefined();
    expect(
      await recordInstanceGone(
        { boots, ask, clock, people, terminal: terminal() },
        { ...request, instance: 'operator-7' },
      ),
    ).toBe(noBootOpen);
  });

  it('is not written unless its name is typed as the confirmation', async () => {
    const { boots, ask, clock, two } = await setStage();
    two.kill();
    const screen = terminal();
    expect(await recordInstanceGone({ boots, ask, clock, people, terminal: screen }, { ...request, yes: false })).toBe(
      1,
    );
    expect(screen.words).toEqual(['instance operator-2']);
    expect((await boots.findById('boot-2'))?.resolution).toBeUndefined();
  });
});
