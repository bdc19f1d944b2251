/**
 * The provider's side of webhooks: each real effect becomes an event, delivered to a replica of the receiver, sometimes
 * twice at once, and again until it gets a success answer. The timeline determines the order.
 */
import type { ProviderObject } from '@platform/contracts-provisioning';
import type { FakeProvider } from '@platform/payment-provider/testing';
import type { ReceivedEvent } from '../../../services/billing-webhook/src/domain/webhook-event';
import { webhookEventsCollection } from '../../../services/billing-webhook/src/store/webhook-events';
import type { Fleet } from './fleet';
import type { World } from './world';

export interface ProviderCaller {
  /** Creates events for the effects since the last call. */
  notice(): void;
  /** Sends an event that no effect of the platform caused. */
  send(type: string, object: ProviderObject): void;
  /** Delivers every event without a success answer once more. */
  deliverAgain(): void;
  readonly events: number;
}

type Effect = ReturnType<FakeProvider['ledger']>[number];

const subscriptionSteps: ReadonlySet<string> = new Set([
  'pause_collection',
  'resume_collection',
  'change_price',
  'hold_price_change',
  'cancel_at_period_end',
  'keep_after_period',
]);

function eventOf({
  step,
  objectId,
  operationId,
}: Effect): { readonly type: string; readonly object: ProviderObject } | undefined {
  if (step === 'pay_invoice')
    return {
      type: 'invoice.paid',
      object: { id: objectId, billing_reason: 'subscription_create', metadata: { provisioningAttempt: operationId } },
    };
  if (step === 'cancel_now') return { type: 'customer.subscription.deleted', object: { id: objectId } };
  return subscriptionSteps.has(step) ? { type: 'customer.subscription.updated', object: { id: objectId } } : undefined;
}

const chanceOfEvent = 0.7;
const chanceOfTwin = 0.2;
const retryMs = 60_000;
const triesMax = 3;

export function createProviderCaller(world: World, fleet: Fleet): ProviderCaller {
  const { timeline, provider, databases, webhookAnswers } = world;
  const { random } = timeline;
  const records = databases['billing-webhook'].store.collection(webhookEventsCollection);
  const sent: ReceivedEvent[] = [];
  const unanswered = new Set<ReceivedEvent>();
  let seen = 0;

  async function deliverOnce(event: ReceivedEvent): Promise<boolean> {
    const receiver = fleet.pick('billing-webhook');
    if (!receiver) return false;
    const status = await timeline.guarded(receiver.process, () => receiver.api.receive(event)).catch(() => 0);
    if (status === 0) return false;
    const resultThen = records.all().find(({ _id }) => _id === event.eventId)?.result ?? 'absent';
    webhookAnswers.push({ eventId: event.eventId, answer: { status, resultThen }, at: timeline.time });
    if (status >= 300) return false;
    unanswered.delete(event);
    return true;
  }

  async function deliver(event: ReceivedEvent): Promise<void> {
    for (let tries = 0; tries < triesMax && unanswered.has(event); tries += 1) {
      if (tries > 0) await timeline.sleep(null, retryMs);
      if (await deliverOnce(event)) return;
    }
  }

  function send(type: string, object: ProviderObject): void {
    const event: ReceivedEvent = {
      eventId: `evt_${sent.length + 1}`,
      type,
      created: timeline.clock.now(),
      object,
      payloadDigest: 'a'.repeat(64),
    };
    sent.push(event);
    unanswered.add(event);
    void deliver(event);
    if (random.next() < chanceOfTwin) void deliver(event);
  }

  return {
    send,
    notice() {
      const ledger = provider.ledger();
      for (; seen < ledger.length; seen += 1) {
        const event = eventOf(ledger[seen]!);
        if (event && random.next() < chanceOfEvent) send(event.type, event.object);
      }
    },
    deliverAgain() {
      for (const event of unanswered) void deliverOnce(event);
    },
    get events() {
      return sent.length;
    },
  };
}
