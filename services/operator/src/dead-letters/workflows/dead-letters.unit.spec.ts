/** Dead letters from the broker to their end: recorded once, announced, shown without secrets, re-driven under their own id. */
import { createSequentialIds, createManualClock, silentLog, type OutboxEntry } from '@platform/kernel';
import { createFakeBroker } from '@platform/messaging/testing';
import { createFakeStore } from '@platform/mongo/testing';
import { createRedact } from '@platform/service-host';
import { caseOfDeadLetter } from '../../cases/domain/dead-letter-case';
import { projectDeadLetter } from '../../work-queue/domain/project';
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
  const watch = () =>
    createLetterWatch({
      letters,
      messaging: gateway!,
      publishNow: (_id, entries) => void announced.push(...entries),
      service: 'operator',
      clock,
      log: silentLog,
    });
  const retryPolicy = { tries: 1, pause: () => Promise.resolve() };
  const ports = { letters, messaging: gateway!, clock, retryPolicy };
  return { clock, broker, letters, announced, watch, ports, seen, repair: () => void (repaired = true) };
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

  it('stands in the queue with its reason until a person ends it', async () => {
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
