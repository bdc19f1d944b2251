/**
 * The money at risk: the amount of a credit, else one period of the requested plan, else one of the workspace's
 * plan, for as many units as the workspace pays for.
 */
import type { Money } from '@platform/contracts-operator';
import type { Clock } from '@platform/kernel';
import { unlessUnreadable } from '@platform/mongo';
import type { Operation } from '../../operations/domain/operation';
import type { OwnerPorts, Prices } from './ports';

const keptMs = 10_000;
const keptAtMost = 5_000;

/** What a workspace pays for, as its mirror has it. */
interface Sold {
  readonly planId: string;
  readonly units: number;
}

/** Answers are cached for seconds: a walk over many rows reads the same few again and again. */
function remembering<T>(clock: Clock, read: (key: string) => Promise<T>): (key: string) => Promise<T> {
  const kept = new Map<string, { readonly at: number; readonly answer: Promise<T> }>();
  return (key) => {
    const now = clock.now().getTime();
    const known = kept.get(key);
    if (known && now - known.at < keptMs) return known.answer;
    if (kept.size >= keptAtMost) kept.clear();
    const answer = read(key);
    kept.set(key, { at: now, answer });
    answer.catch(() => kept.delete(key));
    return answer;
  };
}

function times(money: Money | null, units: number): Money | null {
  return money && { ...money, amountCents: money.amountCents * units };
}

export function createPrices(ports: Pick<OwnerPorts, 'plans' | 'subscriptions'>, clock: Clock): Prices {
  const ofPlan = remembering(clock, async (planId): Promise<Money | null> => {
    const plan = await unlessUnreadable(ports.plans.findById(planId));
    return plan && { amountCents: plan.amountCents, currency: plan.currency };
  });
  const soldTo = remembering(clock, async (tenantId): Promise<Sold | null> => {
    const subscription = await unlessUnreadable(ports.subscriptions.findById(tenantId));
    return subscription && { planId: subscription.planId, units: subscription.provider.quantity ?? 1 };
  });
  const ofWorkspace = async (tenantId: string | null, planId?: string): Promise<Money | null> => {
    const sold = tenantId === null ? null : await soldTo(tenantId);
    const priced = planId ?? sold?.planId;
    return priced === undefined ? null : times(await ofPlan(priced), sold?.units ?? 1);
  };
  return {
    ofPlan,
    ofWorkspace,
    async ofOperation({ tenantId, values, checkpoint }: Operation) {
      const { amountCents, planId } = values;
      const own = await ofWorkspace(tenantId);
      if (typeof amountCents === 'number') {
        const currency = checkpoint?.['currency'] ?? own?.currency;
        return currency === undefined ? null : { amountCents, currency };
      }
      if (typeof planId !== 'string') return own;
      const sent = checkpoint?.['quantity'];
      const asked = sent === undefined ? ofWorkspace(tenantId, planId) : ofPlan(planId);
      return times(await asked, Number(sent ?? 1)) ?? own;
    },
  };
}
