/** Cases of provider events that provisioning owns: what it tells of the creation behind them, and what it does not. */
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
    caseViewOf(casePortsOf(await createMigrationWorld(0), 'live', answers), 'webhook_event', 'evt_1');

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
