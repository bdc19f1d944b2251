/** What the broker still holds for the endpoint of a team when its workspace is deleted: nothing of it is posted. */
import { lifecycleMessageIds, lifecycleTypes } from '@platform/contracts-lifecycle-delivery';
import { deliveryIdOf } from '../domain/delivery';
import { answering } from '../testing/answering';
import { requestedAt } from '../testing/fake-world';
import { createHttpWorld, team, urlOf, type HttpWorld } from '../testing/http-world';
import { acceptLifecycleMessage } from './accept-message';
import { actOnConsumer } from './act-on-consumer';
import { deliverOverHttp } from './deliver-over-http';
import { markTenantDeleted } from './mark-tenant-deleted';
import type { DeliveryPorts } from './ports';

const body = { tenantId: 'acme', operationId: 'workspace-created:acme', transition: 'created' as const, requestedAt };
const id = deliveryIdOf(body.operationId, team);
const ack = { kind: 'ack' };

describe('a message about a tenant that is deleted meanwhile', () => {
  let world: HttpWorld;
  let ports: DeliveryPorts;

  beforeEach(async () => {
    world = createHttpWorld();
    ports = await world.ports();
    const endpoint = { url: urlOf(team), secretRef: team, transitions: ['created' as const] };
    const by = { requestId: 'register-1', by: 'ann@example.com', reason: 'no broker', consumer: team };
    await actOnConsumer(ports, { ...by, action: 'register_endpoint', endpoint });
    await acceptLifecycleMessage(ports, body);
  });

  const stored = () => ports.deliveries.findById(id);
  const handing = (messageId = `delivery:${id}:1`, over = ports) =>
    deliverOverHttp(
      over,
      team,
    )({
      ...{ subject: 'tenant.lifecycle.created.billing', stream: 'TENANT_LIFECYCLE', sequence: 7, id: messageId },
      ...{ type: lifecycleTypes.delivery, body, headers: {}, deliveryCount: 3, publishedAt: world.clock.now() },
    });

  it('is not posted, nor is its replay', async () => {
    await markTenantDeleted(ports, { tenantId: 'acme', operationId: 'delete-acme', deletedAt: requestedAt });
    world.clock.advance(3_600_000);
    expect(await handing()).toEqual(ack);
    expect(await handing(lifecycleMessageIds.replayed('r-1', id, new Date(requestedAt)))).toEqual(ack);
    expect(world.posts).toEqual([]);
    expect(await stored()).toMatchObject({ status: 'skipped_deleted' });
  });

  it('ends its delivery that still waits, and comes again while that may not be recorded', async () => {
    await ports.deletedTenants.insert({ _id: 'acme', operationId: 'delete-acme', deletedAt: new Date(requestedAt) });
    expect(await handing(undefined, answering(ports, 'deliveries', 'unknown'))).toEqual({
      kind: 'nak',
      reason: `delivery ${id} could not be skipped now`,
    });
    expect(await handing()).toEqual(ack);
    expect(world.posts).toEqual([]);
    expect(await stored()).toMatchObject({ status: 'skipped_deleted' });
    expect(world.messages.all()).toMatchObject([{ status: 'settled' }]);
  });
});
