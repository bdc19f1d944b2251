/** Pages of events and their cursors, and how an event is shown. */
import type { Resolution, ResolvedEvent, StoppedEvent, WebhookEvent } from '../domain/webhook-event';
import { bootReceiver, createWebhookWorld, received } from '../testing/webhook-world';
import { eventView, listEvents } from './list-events';
import { receiveEvent } from './receive-event';

/** Three events: `evt_0` and `evt_2` succeeded, `evt_1` was stopped by its owner. */
async function setStage() {
  const world = createWebhookWorld();
  const { ports } = bootReceiver(world, 1);
  for (const at of [0, 1, 2]) {
    world.decide = () => (at === 1 ? 'failed' : 'success');
    await receiveEvent(ports, received({ eventId: `evt_${at}` }));
  }
  const list = async (request: Partial<Parameters<typeof listEvents>[1]>) => {
    const page = await listEvents(ports, { limit: 10, ...request });
    return (
      page && {
        ids: page.events.map(({ _id }) => _id),
        ...(page.nextCursor !== undefined && { cursor: page.nextCursor }),
      }
    );
  };
  return { world, list };
}

const cursorOf = (position: unknown) => Buffer.from(JSON.stringify(position)).toString('base64url');

describe('a list of events', () => {
  it('has the oldest first, those of one result, or one event alone', async () => {
    const { list } = await setStage();
    expect(await list({})).toEqual({ ids: ['evt_0', 'evt_1', 'evt_2'] });
    expect(await list({ order: 'newest' })).toEqual({ ids: ['evt_2', 'evt_1', 'evt_0'] });
    expect(await list({ result: 'success' })).toEqual({ ids: ['evt_0', 'evt_2'] });
    expect(await list({ eventId: 'evt_1' })).toEqual({ ids: ['evt_1'] });
    expect(await list({ eventId: 'evt_9' })).toStrictEqual({ ids: [] });
  });

  it.each([1, 2])(
    'in pages of %i holds each event once, and names a next page only while there is one',
    async (limit) => {
      const { list } = await setStage();
      const ids: string[] = [];
      let pages = 0;
      for (let cursor: string | undefined; pages === 0 || cursor !== undefined; pages += 1) {
        const page = await list({ limit, cursor });
        ids.push(...page!.ids);
        cursor = page!.cursor;
      }
      expect(ids).toEqual(['evt_0', 'evt_1', 'evt_2']);
      expect(pages).toBe(Math.ceil(3 / limit));
      expect((await list({ limit: 3 }))!.cursor).toBeUndefined();
    },
  );

  it.each([
    ['no JSON', 'nonsense'],
    ['an object', cursorOf({ length: 2, 0: 1, 1: 'evt_1' })],
    ['nothing', cursorOf(null)],
    ['a single value', cursorOf([1])],
    ['one value too many', cursorOf([1, 'evt_1', 1])],
    ['another instant', cursorOf(['today', 'evt_1'])],
    ['another id', cursorOf([1, 1])],
  ])('does not begin at a cursor that holds %s', async (_what, cursor) => {
    const { list } = await setStage();
    expect(await list({ cursor })).toBeNull();
  });
});

/** An event of each result, with what a record of it may hold. */
async function events() {
  const { world } = await setStage();
  const [success, stopped] = world.events() as [ResolvedEvent, StoppedEvent];
  world.decide = () => 'silence';
  await receiveEvent(bootReceiver(world, 1).ports, received({ eventId: 'evt_pending' }));
  return { success, stopped, pending: world.events().at(-1)! };
}

describe('an event in the form of the contract', () => {
  it('is shown with every field that it has, and with no other', async () => {
    const { success, stopped, pending } = await events();
    const shown = (event: WebhookEvent) => ({
      eventId: event._id,
      type: 'customer.subscription.updated',
      owner: 'operator',
      executor: { service: 'billing-webhook', instance: 'billing-webhook-1', incarnation: 'incarnation-1' },
      created: '2026-01-01T00:00:00.000Z',
      receivedAt: event.receivedAt.toISOString(),
      deliveries: 0,
      object: { id: 'sub_acme', customer: 'cus_acme' },
      payloadDigest: 'a'.repeat(64),
      revision: event.revision,
    });
    expect(eventView(pending)).toStrictEqual({ ...shown(pending), result: 'pending' });
    expect(eventView(success)).toStrictEqual({
      ...shown(success),
      result: 'success',
      processedAt: success.processedAt.toISOString(),
    });
    expect(eventView(stopped)).toStrictEqual({
      ...shown(stopped),
      result: 'reconciliation_required',
      errorMessage: 'the handler said failed',
      processedAt: stopped.processedAt.toISOString(),
    });
  });

  it('is shown with its conflicts, its warning and a late outcome', async () => {
    const { stopped } = await events();
    const [at, givenUpAt] = [new Date('2026-01-02T00:00:00.000Z'), new Date('2026-01-04T00:00:00.000Z')];
    const event: WebhookEvent = {
      ...stopped,
      conflicts: { count: 1, lastType: 'invoice.paid', lastAt: at },
      endpointWarning: { day: 1, at, givenUpAt },
      lateOutcome: { outcome: 'unknown', error: 'lost', at },
    };
    expect(eventView(event)).toStrictEqual({
      ...eventView(stopped),
      conflicts: { count: 1, lastType: 'invoice.paid', lastAt: at.toISOString() },
      endpointWarning: { at: at.toISOString(), givenUpAt: givenUpAt.toISOString() },
      lateOutcome: { outcome: 'unknown', error: 'lost', at: at.toISOString() },
    });
  });

  it('is shown with its resolution, its evidence and the person who approved against it', async () => {
    const { success } = await events();
    const at = new Date('2026-01-02T00:00:00.000Z');
    const said = { outcome: 'applied', by: 'ann@example.com', executorStopped: 'the pod is gone' } as const;
    const evidence = { readAt: at, digest: 'd', objects: [], statements: ['operator does not answer.'] };
    const override = {
      reason: 'the export shows it',
      approvedBy: 'eve@example.com',
      proposedBy: 'ann@example.com',
      contradiction: 'operator does not answer.',
    };
    const view = (change: Partial<Resolution>) =>
      eventView({ ...success, resolution: { ...said, at, ...change } }).resolution;
    expect(view({})).toStrictEqual({ ...said, at: at.toISOString() });
    expect(view({ evidence, override })).toStrictEqual({
      ...said,
      at: at.toISOString(),
      evidence: { ...evidence, readAt: at.toISOString() },
      override,
    });
  });
});
