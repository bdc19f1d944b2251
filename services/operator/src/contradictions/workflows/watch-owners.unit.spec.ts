/** Resolutions in other services are requested page by page, and each contradiction is announced once. */
import { contradictedRequests } from '@platform/contracts-provisioning';
import { ok, refused, silentLog, type OutboxEntry } from '@platform/kernel';
import type { Messaging } from '@platform/messaging';
import { planMigrationItemsCollection } from '../../migrations/store/plan-migration-items';
import { bootOperator, createOperatorWorld, type OperatorWorld } from '../../testing/operator-world';
import { contradictionsCollection } from '../store/contradictions';
import { closeContradiction } from './close-contradiction';
import { createResolutionWatch } from './watch-resolutions';

function open(world: OperatorWorld, announced: OutboxEntry[], messaging: Pick<Messaging, 'request'>) {
  const { ports } = bootOperator(world, 5);
  const contradictions = world.store.collection(contradictionsCollection);
  const watch = () =>
    createResolutionWatch({
      ...ports,
      items: world.store.collection(planMigrationItemsCollection),
      messaging,
      contradictions,
      publishNow: (_id, entries) => void announced.push(...entries),
      service: 'operator',
      log: silentLog,
    });
  return { contradictions, watch };
}

describe('resolutions that other services keep', () => {
  const at = '2026-01-01T08:00:00.000Z';
  const seen = (itemId: string) => ({
    ...{ itemId, tenantId: null, title: 'invoice.paid', objects: [] },
    ...{ resolvedBy: 'ann@example.com', resolvedAt: at, text: 'operator has recorded it as success.' },
  });

  it('are asked for page by page; what is contradicted is announced once, under its own kind', async () => {
    const world = await createOperatorWorld();
    const announced: OutboxEntry[] = [];
    const asked: unknown[] = [];
    const messaging: Pick<Messaging, 'request'> = {
      request: async (subject, body) => {
        asked.push({ subject, after: body['after'] });
        if (subject === contradictedRequests.creations)
          return ok({ contradicted: [{ ...seen('acme'), tenantId: 'acme' }] });
        const next = body['after'] === undefined && { next: { at, id: 'evt_1' } };
        return ok({ contradicted: [seen('evt_1')], ...next });
      },
    };
    const { watch, contradictions } = open(world, announced, messaging);
    const [one, other] = [watch(), watch()];
    await Promise.all([one(), other()]);
    await one();
    expect(
      contradictions
        .all()
        .map(({ _id }) => _id)
        .sort(),
    ).toEqual(['provisioning_attempt:acme', 'webhook_event:evt_1']);
    expect(announced.map(({ body }) => body['run']).sort()).toEqual([
      'npm run ops -- show provisioning-attempt acme',
      'npm run ops -- show webhook-event evt_1',
    ]);
    const events = asked.filter((each) => (each as { subject: string }).subject === contradictedRequests.events);
    expect(events.at(-1)).toMatchObject({ after: { at: new Date(at), id: 'evt_1' } });
    const closing = { contradictions, clock: world.clock, retryPolicy: { tries: 1, pause: async () => undefined } };
    expect(await closeContradiction(closing, 'evt_1', { by: 'ben@example.com', reason: 'settled' })).toMatchObject({
      ok: true,
      value: { kind: 'webhook_event', status: 'closed' },
    });
  });

  it('are asked for again from the same page by the round after an owner was silent', async () => {
    const world = await createOperatorWorld();
    const asked: unknown[] = [];
    const answers = [
      ok({ contradicted: [], next: { at, id: 'evt_1' } }),
      refused({ code: 'timeout' as const, message: 'late' }),
      ok({ contradicted: [seen('evt_2')] }),
    ];
    const messaging: Pick<Messaging, 'request'> = {
      request: async (subject, body) => {
        if (subject !== contradictedRequests.events) return ok({ contradicted: [] });
        asked.push(body['after']);
        return answers.shift()!;
      },
    };
    const { watch } = open(world, [], messaging);
    const look = watch();
    const found = [await look(), await look(), await look()];
    expect(found).toEqual([0, 0, 1]);
    const where = { at: new Date(at), id: 'evt_1' };
    expect(asked).toEqual([undefined, where, where]);
  });
});
