/**
 * Cases of provider events that provisioning owns: what provisioning reports of the creation behind them, and what it
 * does not.
 */
import type { WebhookEventView } from '@platform/contracts-operator';
import { createMigrationWorld } from '../../migrations/testing/migration-world';
import { casePortsOf, caseViewOf, type Answers } from '../testing/case-views';
import { creationAttempt, seenAt } from '../testing/creation-attempt';

const event: WebhookEventView = {
  eventId: 'evt_1',
  type: 'invoice.paid',
  owner: 'provisioning',
  result: 'reconciliation_required',
  executor: { service: 'billing-webhook', instance: 'billing-webhook-1', incarnation: 'b-1' },
  created: seenAt,
  receivedAt: seenAt,
  deliveries: 2,
  object: { id: 'in_1', customer: 'cus_1', subscription: 'sub_1' },
  payloadDigest: 'd',
  revision: 'r',
};
describe('the case of an event that provisioning owns', () => {
  const events = { 'webhook_events.inspect': { events: [event] } };
  const ofEvent = async (answers: Answers) =>
    caseViewOf(casePortsOf(await createMigrationWorld(0), 'alive', answers), 'webhook_event', 'evt_1');

  it('shows the creation whose invoice it is, and what provisioning does not tell', async () => {
    const view = await ofEvent({ ...events, 'provisioning.attempts.list': { attempts: [creationAttempt], total: 1 } });
    expect(view).toMatchObject({
      tenantId: 't-1',
      verdict: {
        running: {
          answer: 'not_proven',
          because: expect.stringContaining('t-1 is awaiting payment (executor provisioning-1, superseded)'),
        },
      },
    });
    expect(view.intent).toContainEqual({
      label: 'creation',
      value: 'Initrode (t-1) is awaiting payment',
      form: 'text',
    });
    expect(view.notProven.join()).toContain('What provisioning did with this event');
    const lines = view.commands.map(({ line }) => line);
    expect(lines).toContain('npm run ops -- show provisioning-attempt t-1');
    expect(lines.filter((line) => line.includes('resolve event-admission'))).toHaveLength(2);
  });

  describe('whose record provisioning answers', () => {
    const admitted = {
      eventId: 'evt_1',
      type: 'invoice.paid',
      status: 'pending',
      revision: 'r-2',
      executor: { service: 'provisioning', instance: 'provisioning-1', incarnation: 'p-1', state: 'not_proven' },
      admittedAt: seenAt,
    };
    const stopped = { ...creationAttempt, status: 'reconciliation_required' };
    const creations = { 'provisioning.attempts.list': { attempts: [stopped], total: 1 } };
    const answered = (admission?: object) =>
      ofEvent({ ...events, ...creations, 'provisioning.event_admissions.read': admission ? { admission } : {} });

    it('names the handler that left no outcome, and both records that are to be ended', async () => {
      const view = await answered(admitted);
      expect(view.executors.map(({ instance, state }) => [instance, state])).toEqual([
        ['billing-webhook-1', 'receiver'],
        ['provisioning-1', 'not_proven'],
      ]);
      expect(view.verdict.running).toMatchObject({
        answer: 'not_proven',
        because: expect.stringContaining('Its handler provisioning-1 (p-1)'),
      });
      expect(view.notProven).toHaveLength(1);
      expect(view.next.text).toContain("end provisioning's record and the receiver's");
    });

    it('offers no end for a record that has one', async () => {
      const view = await answered({ ...admitted, status: 'completed', outcome: 'success', finishedAt: seenAt });
      expect(view.verdict.running).toMatchObject({ answer: 'no', because: expect.stringContaining('(success)') });
      const lines = view.commands.map(({ line }) => line);
      expect(lines.filter((line) => line.includes('resolve event-admission'))).toEqual([]);
      expect(lines).toContain('npm run ops -- show event-admission evt_1');
      expect(view.timeline.map(({ what }) => what)).toContain('Handler ended: success');
    });

    it('says that it was not admitted', async () => {
      const view = await answered();
      expect(view.verdict.running).toMatchObject({
        answer: 'not_proven',
        because: 'Provisioning has not admitted it yet; its message waits.',
      });
      expect(view.notProven).toContain('What provisioning did with it: it has not admitted it.');
    });
  });

  it('looks for the creation in all pages of the attempts', async () => {
    const other = { ...creationAttempt, tenantId: 't-0', handles: { invoiceId: 'in_0' } };
    const pages = (body: Record<string, unknown>) =>
      body['cursor'] === 'more'
        ? { attempts: [creationAttempt], total: 2 }
        : { attempts: [other], total: 2, nextCursor: 'more' };
    expect(await ofEvent({ ...events, 'provisioning.attempts.list': pages })).toMatchObject({ tenantId: 't-1' });
  });

  it('asks for the creation that it names, and is quiet once that is committed', async () => {
    const named = { ...event, object: { ...event.object, metadata: { provisioningAttempt: 't-1' } } };
    const view = await ofEvent({
      'webhook_events.inspect': { events: [named] },
      'provisioning.attempts.read': { attempt: { ...creationAttempt, status: 'committed' } },
    });
    expect(view.verdict.running).toMatchObject({
      answer: 'no',
      because: expect.stringContaining('changes nothing any more'),
    });
    expect(view.notProven).toHaveLength(1);
    expect(view.next.text).toContain('record it as applied');
  });

  it.each<[string, Answers, string]>([
    [
      'knows no creation',
      { 'provisioning.attempts.list': { attempts: [], total: 0 } },
      'it knows no creation that this event names',
    ],
    ['does not answer', {}, 'it could not be asked now'],
  ])('says which service to ask when it %s', async (_what, answers, message) => {
    const view = await ofEvent({ ...events, ...answers });
    expect(view.notProven.join()).toContain(message);
    expect(view.commands.map(({ line }) => line)).toContain('npm run ops -- list provisioning-attempts');
    expect(view.verdict.running.answer).toBe('not_proven');
  });
});
