/** Dead letters from the broker to their end: recorded once, announced, shown without secrets, re-driven under their own id. */
import { createSequentialIds, createManualClock, silentLog, type OutboxEntry } from '@platform/kernel';
import type { Messaging } from '@platform/messaging';
import { createFakeBroker } from '@platform/messaging/testing';
import { createFakeStore } from '@platform/mongo/testing';
import { createRedact } from '@platform/service-host';
import { caseOfDeadLetter } from '../../cases/domain/dead-letter-case';
import { projectDeadLetter } from '../../work-queue/domain/project-messages';
import { deadLettersCollection } from '../store/dead-letters';
import { closeLetter, redriveLetter } from './end-letter';
import { readLetter } from './read-letter';
import { createLetterWatch } from './take-in-letters';

async function setStage(body: Readonly<Record<string, unknown>> = { tenantId: 'acme', token: 'secret-of-a-team' }) {
  const clock = createManualClock();
  const store = createFakeStore({ clock, ids: createSequentialIds() });
  const letters = store.collection(deadLettersCollection);
  const broker = createFakeBroker({ clock });
  const [gateway, receiver, sender] = ['operator', 'lifecycle-delivery', 'storage'].map((name) => broker.connect(name));
  const seen: string[] = [];
  let repaired = false;
  await receiver!.consume({ stream: 'TENANT_RECEIPTS', durable: 'lifecycle-delivery' }, async ({ id }) => {
    seen.push(id);
    return repaired ? { kind: 'ack' } : { kind: 'dead_letter', reason: 'not a receipt: effectiveAt' };
  });
  await sender!.publish({ subject: 'tenant.receipt.storage', id: 'receipt:op-1', type: 'tenant.receipt.v1', body });
  await broker.settle();
  const announced: OutboxEntry[] = [];
  const passed: string[] = [];
  const dropped: number[] = [];
  const watch = (messaging: Pick<Messaging, 'storedMessages'> = gateway!) =>
    createLetterWatch({
      letters,
      messaging,
      publishNow: (_id, entries) => void announced.push(...entries),
      passedOver: (reader) => void passed.push(reader),
      dropped: (count) => void dropped.push(count),
      service: 'operator',
      clock,
      log: silentLog,
    });
  const retryPolicy = { tries: 1, pause: () => Promise.resolve() };
  const ports = { letters, messaging: gateway!, clock, retryPolicy };
  return {
    clock,
    broker,
    letters,
    announced,
    passed: () => passed.length,
    dropped,
    watch,
    ports,
    seen,
    repair: () => void (repaired = true),
  };
}

describe('a dead letter', () => {
  it('is recorded and announced once, whatever replicas and boots look', async () => {
    const { letters, announced, watch } = await setStage();
    const [one, other] = [watch(), watch()];
    await Promise.all([one(), other()]);
    await one();
    await watch()();
    expect(letters.all()).toMatchObject([
      {
        status: 'open',
        sequence: 1,
        subject: 'tenant.receipt.storage',
        stream: 'TENANT_RECEIPTS',
        durable: 'lifecycle-delivery',
        messageId: 'receipt:op-1',
        reason: 'not a receipt: effectiveAt',
      },
    ]);
    expect(announced.map(({ body }) => body)).toMatchObject([
      { kind: 'dead_letter', run: 'npm run ops -- deadletters show 1' },
    ]);
  });

  it('is in the queue with its reason until a person ends it', async () => {
    const { letters, watch, ports } = await setStage();
    await watch()();
    expect(projectDeadLetter(letters.all()[0]!)).toMatchObject({ kind: 'dead_letter', state: 'stopped' });
    const closed = await closeLetter(ports, '1', { by: 'ann@example.com', reason: 'the team sends it again' });
    expect(closed).toMatchObject({ ok: true, value: { status: 'closed', end: { by: 'ann@example.com' } } });
    expect(projectDeadLetter(letters.all()[0]!)).toBeNull();
    expect((await redriveLetter(ports, '1', 'ann@example.com')).ok).toBe(false);
  });

  it('is shown with its headers and its body, without what is secret', async () => {
    const { watch, ports, clock } = await setStage();
    await watch()();
    const read = (await readLetter(ports, '1'))!;
    const view = caseOfDeadLetter(read, { collectedAt: clock.now().toISOString(), redact: createRedact() });
    const shown = JSON.stringify(view);
    expect(shown).toContain('acme');
    expect(shown).toContain('tenant.receipt.v1');
    expect(shown).not.toContain('secret-of-a-team');
    expect(view.commands.map(({ line }) => line)).toEqual([
      'npm run ops -- deadletters show 1',
      'npm run ops -- deadletters redrive 1 --token-file <file with your token>',
      expect.stringContaining('deadletters close 1'),
    ]);
  });

  it('is published again to its subject under its own id, marked with who did it', async () => {
    const { watch, ports, letters, broker, clock, seen, repair } = await setStage();
    await watch()();
    repair();
    clock.advance(10 * 60_000);
    expect(await redriveLetter(ports, '1', 'ann@example.com')).toMatchObject({
      ok: true,
      value: { published: 'acknowledged' },
    });
    await broker.settle();
    expect(seen).toEqual(['receipt:op-1', 'receipt:op-1']);
    expect(letters.all()).toMatchObject([{ status: 'redriven', end: { by: 'ann@example.com', at: clock.now() } }]);
  });

  it('is marked before it leaves, and the same command may be given again', async () => {
    const { watch, ports, letters } = await setStage();
    await watch()();
    const away = { ...ports.messaging, publish: async () => 'unknown' as const };
    expect(await redriveLetter({ ...ports, messaging: away }, '1', 'ann@example.com')).toMatchObject({
      ok: true,
      value: { published: 'unknown' },
    });
    expect(letters.all()).toMatchObject([{ status: 'redriven' }]);
    expect(await redriveLetter(ports, '1', 'ann@example.com')).toMatchObject({ ok: true });
  });

  it('that two people end at the same time is ended by one of them', async () => {
    const { watch, ports, letters } = await setStage();
    await watch()();
    const ends = await Promise.all(
      ['ann@example.com', 'bob@example.com'].map((by) => closeLetter(ports, '1', { by, reason: 'nothing to do' })),
    );
    expect(ends.filter(({ ok }) => ok)).toHaveLength(1);
    expect(letters.all()).toHaveLength(1);
  });

  it('that the broker has forgotten can only be closed', async () => {
    const { watch, ports } = await setStage();
    await watch()();
    const empty = { ...ports.messaging, storedMessages: async () => [] };
    expect(await redriveLetter({ ...ports, messaging: empty }, '1', 'ann@example.com')).toMatchObject({ ok: false });
    expect(await closeLetter({ ...ports, messaging: empty }, '1', { by: 'a@b.c', reason: 'gone' })).toMatchObject({
      ok: true,
    });
  });
});

describe('a letter that a team writes by itself', () => {
  const forged = (over: Record<string, string> = {}) => ({
    'dead-letter-stream': 'PROVIDER_EVENTS',
    'dead-letter-durable': 'operator',
    'dead-letter-subject': 'provider.event.operator.invoice.paid',
    'dead-letter-reason': 'please publish it again',
    'ce-id': 'evt_forged',
    'ce-type': 'provider.event.v1',
    ...over,
  });
  const body = new TextEncoder().encode('{"paid":true}');
  const own = 'dead_letter.TENANT_LIFECYCLE.storage';

  async function setForgery(headers: Record<string, string>, bytes = body) {
    const stage = await setStage();
    // This intake of letters has not seen the fixture's valid letter.
    const watch = stage.watch();
    stage.broker.publishRaw(own, bytes, headers);
    await watch();
    return { ...stage, letter: stage.letters.all().find(({ sequence }) => sequence === 2)! };
  }

  it('is of the reader whose subject it has, whatever its headers say', async () => {
    const { letter } = await setForgery(forged());
    expect(letter).toMatchObject({ stream: 'TENANT_LIFECYCLE', durable: 'storage', subject: '' });
    expect(letter.reason).toContain('provider.event.operator.invoice.paid');
    expect(projectDeadLetter(letter)).toMatchObject({ title: 'TENANT_LIFECYCLE/storage' });
  });

  it.each([
    'provider.event.operator.invoice.paid',
    'tenant.lifecycle.suspended.search-index',
    'tenant.lifecycle.*.storage',
    '',
  ])('is never published to a subject that its reader does not read: %s', async (subject) => {
    const { ports, broker } = await setForgery(forged({ 'dead-letter-subject': subject }));
    const sent: unknown[] = [];
    const publish = async (message: unknown) => (sent.push(message), 'acknowledged' as const);
    const redriven = await redriveLetter({ ...ports, messaging: { ...ports.messaging, publish } }, '2', 'ann@x.com');
    await broker.settle();
    expect([redriven.ok, sent]).toEqual([false, []]);
    expect(await closeLetter(ports, '2', { by: 'ann@x.com', reason: 'forged' })).toMatchObject({ ok: true });
  });

  it('may go back to the subject of its own deliveries', async () => {
    const { ports } = await setForgery(forged({ 'dead-letter-subject': 'tenant.lifecycle.suspended.storage' }));
    expect(await redriveLetter(ports, '2', 'ann@x.com')).toMatchObject({ ok: true });
  });

  it('is not marked as published again when it is larger than a message may be', async () => {
    const large = new TextEncoder().encode(JSON.stringify({ text: 'x'.repeat(66_000) }));
    const headers = forged({ 'dead-letter-subject': 'tenant.lifecycle.suspended.storage' });
    const { ports, letters } = await setForgery(headers, large);
    expect(await redriveLetter(ports, '2', 'ann@x.com')).toMatchObject({ ok: false });
    expect(letters.all().find(({ sequence }) => sequence === 2)).toMatchObject({ status: 'open' });
  });

  it('fills no record beyond what a person reads', async () => {
    const { letter, announced } = await setForgery(
      forged({
        'dead-letter-subject': own.repeat(400),
        'dead-letter-reason': 'x'.repeat(60_000),
        'ce-id': 'y'.repeat(60_000),
      }),
    );
    expect(JSON.stringify(letter).length).toBeLessThan(5_000);
    expect(JSON.stringify(announced.at(-1)).length).toBeLessThan(5_000);
  });

  it('is recorded while fewer than 1,000 of its reader are open, and never keeps out those of another', async () => {
    const { letters, broker, watch, passed, ports } = await setStage();
    const look = watch();
    for (let round = 0; round < 3; round += 1) {
      for (let count = 0; count < 600; count += 1) broker.publishRaw(own, body, forged());
      await look();
    }
    broker.publishRaw('dead_letter.LIFECYCLE_SETTLED.operator', body, {});
    await look();
    const of = (durable: string) => letters.all().filter((each) => each.durable === durable);
    expect([of('storage').length, of('operator').length, of('lifecycle-delivery').length]).toEqual([1_000, 1, 1]);
    expect(passed()).toBe(800);
    // Letters that the broker still keeps are recorded when there is room again.
    const [first, second] = of('storage');
    for (const { _id } of [first!, second!]) await closeLetter(ports, _id, { by: 'a@x.com', reason: 'forged' });
    await look();
    expect(of('storage').filter(({ status }) => status === 'open')).toHaveLength(1_000);
    expect(of('storage')).toHaveLength(1_002);
  });
});

describe('a letter that the broker drops for a newer one of its reader', () => {
  const letter = new TextEncoder().encode('{}');

  /** A gateway beside a broker that keeps the newest letters from `first` on, and others that it is asked to keep. */
  async function setFlood() {
    const stage = await setStage();
    let first = 1;
    const all = stage.ports.messaging.storedMessages;
    const storedMessages: typeof all = async (stream, after, limit) =>
      (await all(stream, after, 1_000)).filter(({ sequence }) => sequence >= first).slice(0, limit);
    const flood = (count: number) => {
      for (let sent = 0; sent < count; sent += 1)
        stage.broker.publishRaw('dead_letter.TENANT_RECEIPTS.lifecycle-delivery', letter, {});
    };
    return {
      ...stage,
      flood,
      boot: () => stage.watch({ storedMessages }),
      drop: (until: number) => void (first = until + 1),
    };
  }

  it('before it was read is counted, by a running gateway and by one that begins', async () => {
    const { boot, flood, drop, dropped, letters } = await setFlood();
    const look = boot();
    await look();
    flood(4);
    drop(3);
    await look();
    await look();
    expect([dropped, letters.all().length]).toEqual([[2], 3]);
    flood(3);
    drop(7);
    await boot()();
    expect([dropped, letters.all().length]).toEqual([[2, 2], 4]);
  });

  it('after it was read, or in a stream of which no letter is known, is not counted', async () => {
    const { boot, flood, drop, dropped, letters } = await setFlood();
    flood(4);
    drop(2);
    const look = boot();
    await look();
    drop(5);
    await look();
    flood(1);
    await look();
    expect([dropped, letters.all().length]).toEqual([[], 4]);
  });
});
