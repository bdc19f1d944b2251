/** The contents of a new local platform: four plans and four workspaces, one of each kind that the stories need. */

export interface SeedPlan {
  readonly planId: string;
  readonly name: string;
  readonly amountCents: number;
}

export interface SeedWorkspace {
  readonly tenantId: string;
  readonly workspaceName: string;
  readonly planId: string;
  readonly status: 'active' | 'past_due';
}

export const currency = 'usd';
export const billedEvery = { interval: 'month', count: 1 } as const;

export const seedPlans: readonly SeedPlan[] = [
  { planId: 'free', name: 'Free', amountCents: 0 },
  { planId: 'starter', name: 'Starter', amountCents: 1_900 },
  { planId: 'pro', name: 'Pro', amountCents: 4_900 },
  { planId: 'business', name: 'Business', amountCents: 9_900 },
];

export const seedWorkspaces: readonly SeedWorkspace[] = [
  { tenantId: 'acme', workspaceName: 'Acme', planId: 'starter', status: 'active' },
  { tenantId: 'globex', workspaceName: 'Globex', planId: 'pro', status: 'active' },
  { tenantId: 'initech', workspaceName: 'Initech', planId: 'starter', status: 'past_due' },
  { tenantId: 'hooli', workspaceName: 'Hooli', planId: 'free', status: 'active' },
];

export const isPaid = ({ planId }: Pick<SeedWorkspace, 'planId'>): boolean =>
  seedPlans.some((plan) => plan.planId === planId && plan.amountCents > 0);
export const priceIdOf = (planId: string): string => `price_${planId}_month`;
export const ownerEmailOf = (tenantId: string): string => `billing@${tenantId}.example`;
const productIdOf = (planId: string): string => `prod_${planId}`;
export const customerIdOf = (tenantId: string): string => `cus_${tenantId}`;
export const subscriptionIdOf = (tenantId: string): string => `sub_${tenantId}`;

/** Body of `POST /_twin/seed` of the provider twin. */
export function twinSeed(plans: readonly SeedPlan[], workspaces: readonly SeedWorkspace[]) {
  return {
    products: plans.map(({ planId, name }) => ({ id: productIdOf(planId), name })),
    prices: plans.map(({ planId, amountCents }) => ({
      id: priceIdOf(planId),
      product: productIdOf(planId),
      unitAmount: amountCents,
      currency,
      recurring: { interval: billedEvery.interval, intervalCount: billedEvery.count },
      metadata: { planId },
    })),
    customers: workspaces.map(({ tenantId, workspaceName }) => ({
      id: customerIdOf(tenantId),
      email: ownerEmailOf(tenantId),
      name: workspaceName,
      metadata: { tenantId },
      paymentMethod: 'pm_card_visa',
    })),
    subscriptions: workspaces.filter(isPaid).map(({ tenantId, planId, status }) => ({
      id: subscriptionIdOf(tenantId),
      customer: customerIdOf(tenantId),
      price: priceIdOf(planId),
      status,
      metadata: { tenantId },
    })),
  };
}
