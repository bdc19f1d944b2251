/**
 * The money at risk: the amount of a credit, else one period of the requested plan, else one of the workspace's
 * plan, for as many units as the workspace pays for.
 */
import type { Money } from '@platform/contracts-operator';
import type { Clock } from '@platform/kernel';
import { walk } from '@platform/durable/record';
import { unlessUnreadable } from '@platform/mongo';
import type { Operation } from '../../operations/domain/operation';
import type { OwnerPorts, Prices } from './ports';

const keptMs = 10_000;
const keptAtMost = 5_000;
const readAtOnce = 100;

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

type PricePorts = Pick<OwnerPorts, 'plans' | 'subscriptions' | 'migrationItems'>;

/** Units of the workspaces whose outcome in this migration is not known, however many they are. */
async function stoppedUnits({ migrationItems, subscriptions }: PricePorts, migrationId: string): Promise<number> {
  const unknown = { migrationId, status: 'reconciliation_required' };
  const unitsOf = async (tenantIds: readonly string[]): Promise<number> => {
    const found = await subscriptions.find({ _id: { $in: tenantIds } }, { sort: { _id: 1 }, limit: tenantIds.length });
    // A workspace whose record cannot be read counts one unit, as its own row does.
    return found.reduce((units, { provider }) => units + (provider.quantity ?? 1) - 1, tenantIds.length);
  };
  let [units, page]: [number, string[]] = [0, []];
  for await (const { tenantId } of walk(migrationItems, unknown, { sort: ['ordinal', '_id'] })) {
    page.push(tenantId);
    if (page.length < readAtOnce) continue;
    const more = await unitsOf(page);
    units += more;
    page = [];
  }
  return page.length > 0 ? units + (await unitsOf(page)) : units;
}

export function createPrices(ports: PricePorts, clock: Clock): Prices {
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
    async ofMigration({ _id, status, targetPlanId }) {
      if (status !== 'reconciliation_required') return ofPlan(targetPlanId);
      const units = await stoppedUnits(ports, _id);
      return units === 0 ? null : times(await ofPlan(targetPlanId), units);
    },
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
