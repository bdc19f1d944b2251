/**
 * The money at risk: the amount of a credit, else one period of the requested plan, else one of the workspace's
 * plan.
 */
import type { Money } from '@platform/contracts-operator';
import type { Clock } from '@platform/kernel';
import { unlessUnreadable } from '@platform/mongo';
import type { Operation } from '../../operations/domain/operation';
import type { OwnerPorts, Prices } from './ports';

const plansKeptMs = 10_000;
const workspacesKept = 5_000;

interface Kept {
  readonly at: number;
  readonly money: Promise<Money | null>;
}

/** Plans and workspaces are cached for seconds: a walk over many rows reads the same few again and again. */
export function createPrices(ports: Pick<OwnerPorts, 'plans' | 'subscriptions'>, clock: Clock): Prices {
  const remembered = (kept: Map<string, Kept>, key: string, read: () => Promise<Money | null>) => {
    const now = clock.now().getTime();
    const known = kept.get(key);
    if (known && now - known.at < plansKeptMs) return known.money;
    if (kept.size >= workspacesKept) kept.clear();
    const money = read();
    kept.set(key, { at: now, money });
    money.catch(() => kept.delete(key));
    return money;
  };
  const plans = new Map<string, Kept>();
  const workspaces = new Map<string, Kept>();
  const ofPlan = (planId: string) =>
    remembered(plans, planId, async () => {
      const plan = await unlessUnreadable(ports.plans.findById(planId));
      return plan && { amountCents: plan.amountCents, currency: plan.currency };
    });
  const ofWorkspace = async (tenantId: string | null) => {
    if (tenantId === null) return null;
    return remembered(workspaces, tenantId, async () => {
      const subscription = await unlessUnreadable(ports.subscriptions.findById(tenantId));
      return subscription ? ofPlan(subscription.planId) : null;
    });
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
      return typeof planId === 'string' ? ((await ofPlan(planId)) ?? own) : own;
    },
  };
}
