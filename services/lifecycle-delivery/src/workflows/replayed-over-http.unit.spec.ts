/** A message of a replay on its way to an endpoint that cannot take it now. */
import { lifecycleMessageIds, lifecycleTypes, type ActOnConsumer } from '@platform/contracts-lifecycle-delivery';
import type { InboundMessage } from '@platform/messaging';
import { deliveryIdOf } from '../domain/delivery';
import { requestedAt } from '../testing/fake-world';
import { createHttpWorld, team, urlOf, type AnswerOf } from '../testing/http-world';
import { acceptLifecycleMessage } from './accept-message';
import { actOnConsumer } from './act-on-consumer';
import { deliverOverHttp } from './deliver-over-http';

const body = { tenantId: 'acme', operationId: 'operation-1', transition: 'suspended' as const, requestedAt };
const deliveryId = deliveryIdOf(body.operationId, team);

it('of a replay comes again after the pause for which its endpoint asks', async () => {
  let answer: ReturnType<AnswerOf>;
  const world = createHttpWorld({ [team]: () => answer });
  const ports = await world.ports();
  const act = (action: ActOnConsumer['action'], over: Partial<ActOnConsumer>) =>
    actOnConsumer(ports, {
      requestId: action,
      action,
      reason: 'a restore',
      by: 'ann@example.com',
      consumer: team,
      ...over,
    });
  const inbound = (id: string): InboundMessage => ({
    ...{ subject: 'tenant.lifecycle.suspended.billing', stream: 'TENANT_LIFECYCLE', sequence: 7, id, body },
    ...{ type: lifecycleTypes.delivery, headers: {}, deliveryCount: 1, publishedAt: world.clock.now() },
  });
  await act('register_endpoint', { endpoint: { url: urlOf(team), secretRef: team, transitions: ['suspended'] } });
  await acceptLifecycleMessage(ports, body);
  const handle = deliverOverHttp(ports, team);
  expect(await handle(inbound(lifecycleMessageIds.delivery(deliveryId, 1)))).toEqual({ kind: 'ack' });
  world.clock.advance(1_000);
  await act('replay', { since: requestedAt });

  const replayed = inbound(lifecycleMessageIds.replayed('replay', deliveryId, new Date(requestedAt)));
  answer = { status: 503, headers: { 'retry-after': '120' } };
  expect(await handle(replayed)).toEqual({ kind: 'nak', reason: 'HTTP 503', delayMs: 120_000 });
  world.clock.advance(120_000);
  answer = undefined;
  expect(await handle(replayed)).toEqual({ kind: 'ack' });
  expect(world.posts).toHaveLength(3);
});
