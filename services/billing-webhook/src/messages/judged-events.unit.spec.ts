/**
 * For the gateway, the owner's record decides which resolution of an event is allowed; a redelivery does not change the
 * decision.
 */
import { judgedAnswerSchema, judgedRequests } from '@platform/contracts-provisioning';
import { createFakeBroker } from '@platform/messaging/testing';
import { bootReceiver, createWebhookWorld, received } from '../testing/webhook-world';
import { receiveEvent } from '../workflows/receive-event';
import { judgedEventEndpoint } from './serve-webhook-events';

async function stopped(owner: 'failed' | 'silence' | 'success') {
  const world = createWebhookWorld();
  const { ports } = bootReceiver(world, 1);
  world.decide = () => owner;
  await receiveEvent(ports, received({ object: { id: 'sub_acme', metadata: { tenantId: 'acme' } } }));
  const broker = createFakeBroker({ clock: world.clock });
  await broker
    .connect('billing-webhook')
    .serve({ name: 'billing-webhook', version: '0.1.0', description: 'events' }, [judgedEventEndpoint(ports)]);
  const judge = async (change: object = {}) => {
    const said = { executorStopped: 'its host was shut down', outcome: 'applied', providerObject: null };
    const body = { id: 'evt_1', by: 'ann@example.com', ...said, ...change };
    const answer = await broker.connect('operator').request(judgedRequests.webhook_event, body, 1_000);
    return answer.ok ? judgedAnswerSchema.parse(answer.value) : answer.error;
  };
  return { world, ports, judge };
}

describe('the end of an event that a person proposes', () => {
  it('is judged by what its owner has recorded, and nothing is written', async () => {
    const { world, judge } = await stopped('failed');
    const before = world.events();
    expect(await judge()).toMatchObject({
      judged: {
        tenantId: 'acme',
        evidence: { objects: [], statements: ['operator has recorded it as failed (the handler said failed).'] },
        consequences: [expect.stringContaining('becomes success')],
      },
    });
    expect(world.events()).toEqual(before);
  });

  it('is the same situation after a redelivery, and another one after a stop', async () => {
    const { world, ports, judge } = await stopped('silence');
    const revision = async () => {
      const answer = await judge();
      return 'judged' in answer ? answer.judged.revision : answer;
    };
    const first = await revision();
    const written = world.events()[0]!.revision;
    await receiveEvent(ports, received({ object: { id: 'sub_acme', metadata: { tenantId: 'acme' } } }));
    expect(world.events()[0]).toMatchObject({ deliveries: 1 });
    expect(world.events()[0]!.revision).not.toBe(written);
    expect(await revision()).toBe(first);
  });

  it('is refused with an object, for an event that is known, and for one that is not there', async () => {
    const { judge } = await stopped('success');
    expect(await judge({ providerObject: 'sub_acme' })).toMatchObject({
      refused: expect.stringContaining('own proof'),
    });
    expect(await judge()).toMatchObject({ refused: expect.stringContaining('nothing to resolve') });
    expect(await judge({ id: 'evt_2' })).toMatchObject({ refused: expect.stringContaining('no such event') });
  });
});
