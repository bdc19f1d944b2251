/** What a person reads before the resolution of an event, and what is kept of the proofs. */
import { bootReceiver, createWebhookWorld, received } from '../testing/webhook-world';
import { withoutObject } from './read-event-resolution';
import { receiveEvent } from './receive-event';
import { eventInvestigation } from './resolve-event';

const proofs = { id: 'evt_1', outcome: 'applied', executorStopped: 'the pod is gone', by: 'ann@example.com' } as const;

describe('the resolution of an event', () => {
  it.each([
    ['silence', [expect.stringContaining('The event is pending. If its handler is alive')]],
    ['failed', []],
  ] as const)(
    'warns of a handler that may be alive only while the event is pending (%s)',
    async (outcome, warnings) => {
      const world = createWebhookWorld();
      world.decide = () => outcome;
      const { ports } = bootReceiver(world, 1);
      await receiveEvent(ports, received());
      expect(await eventInvestigation.plan(ports, proofs)).toMatchObject({
        ok: true,
        value: { warnings },
      });
    },
  );

  it('names no object of the provider, because the event is its own', () => {
    expect(withoutObject({ ...proofs, providerObject: 'sub_acme' })).toStrictEqual(proofs);
  });
});
