/** The actions of a history, chosen from its seed before it begins. Ids repeat on purpose, some with other values. */
import { exampleValues, operationActions, type OperationAction } from '@platform/contracts-operator';
import type { CreateWorkspace } from '@platform/contracts-provisioning';
import { createRandom, type Random } from '@platform/testing';
import { actionOf } from '../../../services/operator/src/operations/domain/actions';
import type { OperationRequest } from '../../../services/operator/src/operations/domain/operation';
import type { MigrationRequest } from '../../../services/operator/src/migrations/domain/migration';
import type { Action } from './actions';
import { holdsPayments } from './held-payments';
import { services } from './world';

const actor = { id: 'ann', email: 'ann@example.com' };

interface Choice {
  readonly action: OperationAction;
  /** The name in the operation id; a number is appended when the same action is requested under two ids. */
  readonly name: string;
  readonly numbered?: true;
  readonly values?: (random: Random) => OperationRequest['values'];
}

const planned = () => ({ planId: 'pro' });
/** Chosen for their conflicts. Their order determines the meaning of a seed. */
const chosen: readonly Choice[] = [
  { action: 'suspend', name: 'suspend', numbered: true },
  { action: 'suspend', name: 'suspend', numbered: true },
  { action: 'reactivate', name: 'reactivate', numbered: true },
  { action: 'reactivate', name: 'reactivate', numbered: true },
  {
    action: 'credit_customer',
    name: 'credit',
    numbered: true,
    values: () => ({ amountCents: 500, reason: 'outage' }),
  },
  {
    action: 'credit_customer',
    name: 'credit',
    numbered: true,
    values: (random) => ({ amountCents: random.pick([500, 500, 999]), reason: 'outage' }),
  },
  { action: 'upgrade_plan', name: 'upgrade-1', values: planned },
  { action: 'change_plan_later', name: 'later-1', values: planned },
  { action: 'drop_pending_change', name: 'drop-1' },
  { action: 'cancel_subscription', name: 'cancel-1' },
  { action: 'grant_free_access', name: 'grant-1', values: planned },
  {
    action: 'checkout',
    name: 'checkout',
    numbered: true,
    values: () => ({ planId: 'pro', successUrl: 'https://app.test/done', cancelUrl: 'https://app.test/back' }),
  },
];
/**
 * After a deletion nothing more can be done to the workspace, so a history rarely requests one; see {@link deletionOf}.
 */
const rarely: OperationAction = 'delete_workspace';
/**
 * Only a waiting checkout can be ended, so this is requested where the person on the checkout page acts; see {@link
 * expiryOf}.
 */
const besideCheckouts: OperationAction = 'expire_checkout';
/**
 * Histories that give up an upgrade at their end. The request is refused, because none of their payments waits for a
 * person.
 */
const givingUpShare = 0.02;
const ofWaitingPayments: OperationAction = 'give_up_upgrade';
/** Every other action is requested with the example of its definition. */
const examples: readonly Choice[] = operationActions
  .filter(
    (name) =>
      name !== rarely &&
      name !== besideCheckouts &&
      name !== ofWaitingPayments &&
      !chosen.some(({ action }) => action === name),
  )
  .map((action) => ({ action, name: action.replaceAll('_', '-'), values: () => exampleValues(action) }));
const choices = [...chosen, ...examples];

function requestOf(random: Random, tenantId: string, among = choices): OperationRequest {
  const number = 1 + random.below(2);
  const { action, name, numbered, values } = random.pick(among);
  return {
    operationId: `op-${tenantId}-${name}${numbered ? `-${number}` : ''}`,
    tenantId,
    action,
    values: values?.(random) ?? {},
    actor,
  };
}

function deletionOf(tenantId: string): OperationRequest {
  return {
    operationId: `op-${tenantId}-delete-1`,
    tenantId,
    action: rarely,
    values: { reason: 'closed', confirm: tenantId },
    actor,
  };
}

function expiryOf(tenantId: string): OperationRequest {
  return { operationId: `op-${tenantId}-expire-1`, tenantId, action: besideCheckouts, values: {}, actor };
}

function givingUpOf(tenantId: string): OperationRequest {
  return { operationId: `op-${tenantId}-give-up-1`, tenantId, action: ofWaitingPayments, values: {}, actor };
}

const declinedCard = 'pm_card_chargeCustomerFail';
const cards = ['pm_card_visa', 'pm_card_visa', 'pm_card_mastercard', declinedCard];
const paidPlan = { planId: 'starter', priceId: 'price_starter' };

function creationOf(random: Random, among = cards): CreateWorkspace {
  const number = 1 + random.below(2);
  return {
    tenantId: `ws-${number}`,
    user: { id: `user-${number}`, email: `user${number}@example.com` },
    workspaceName: `Workspace ${number}`,
    plan: random.below(3) === 0 ? { planId: 'free' } : paidPlan,
    paymentMethodId: random.pick(among),
    billingProfile: { name: 'Ada', country: 'GB' },
  };
}

function migrationOf(random: Random): MigrationRequest {
  return {
    migrationId: 'mig-00000001',
    fromPlanId: 'starter',
    targetPlanId: random.pick(['pro', 'pro', 'pro', 'free']),
    notifyMembers: false,
    requestedBy: { id: 'owner' },
    reason: 'the plan is no longer sold',
  };
}

const eventTypes = [
  'customer.subscription.updated',
  'invoice.payment_failed',
  'invoice.paid',
  'customer.updated',
  'customer.subscription.trial_will_end',
  'payout.paid',
];

/** The share of histories that play few kinds of action. */
const swarms = 0.4;

/**
 * Some histories play only a few kinds of action on one workspace, because situations that need the same few actions
 * repeatedly are rare otherwise. Null for the other histories.
 */
function swarmOf(seed: number): ((random: Random) => Action) | null {
  const random = createRandom(seed ^ 0x1f83d9ab);
  if (random.next() >= swarms) return null;
  const tenantId = random.pick(['acme', 'hooli', 'ws-1']);
  const asked = Array.from({ length: 1 + random.below(3) }, () => random.pick(choices));
  const beside = [
    (each: Random): Action => ({ do: 'create', request: creationOf(each) }),
    (each: Random): Action => ({ do: 'create', request: creationOf(each) }),
    (each: Random): Action => ({ do: 'migrate', request: migrationOf(each) }),
    (each: Random): Action => ({ do: 'checkout', end: each.pick(['completed', 'expired']) }),
    (): Action => ({ do: 'ask', request: expiryOf(tenantId) }),
    (each: Random): Action => ({ do: 'provider_event', tenantId, type: each.pick(eventTypes) }),
    (each: Random): Action => ({ do: 'kill', service: each.pick([...services]) }),
    (): Action => ({ do: 'wipe_broker' }),
    (): Action => ({ do: 'restart_all' }),
    (): Action => ({ do: 'time_passes' }),
  ];
  const others = Array.from({ length: random.below(3) }, () => random.pick(beside));
  const share = random.pick([0.25, 0.5, 0.8]);
  return (each) =>
    others.length === 0 || each.next() < share
      ? { do: 'ask', request: requestOf(each, tenantId, asked) }
      : each.pick(others)(each);
}

/** The share of histories with races. */
const racingShare = 0.4;
/** The share of these in which two operations compete for one workspace and are requested again. */
const rivalsShare = 0.6;

/** The generator for choices that only a racing history has; null in the others. */
export function racingOf(seed: number): Random | null {
  const random = createRandom(seed ^ 0x510e527f);
  return random.next() < racingShare ? random : null;
}

/** Two operations that exclude each other, each under one id, in turns; null in most histories. */
function rivalsOf(seed: number): Action[] | null {
  const random = createRandom(seed ^ 0x1f3d5b79);
  if (!racingOf(seed) || random.next() >= rivalsShare) return null;
  const tenantId = random.pick(['acme', 'hooli']);
  const exclusive = choices.filter(({ action }) => actionOf(action).transition !== null);
  const rivals = [random.pick(exclusive), random.pick(exclusive)].map((choice) =>
    requestOf(random, tenantId, [choice]),
  );
  return Array.from({ length: 4 + random.below(4) }, () => ({ do: 'ask', request: random.pick(rivals) }));
}

/** The share of the racing histories without rivals in which a declined creation is taken over again and again. */
const takenOverShare = 0.3;

/**
 * One creation whose card is declined, while the process that rolls it back is replaced: an executor that slept through
 * its successor's rollback wakes at the marker. Null in most histories.
 */
function takenOverOf(seed: number): Action[] | null {
  const random = createRandom(seed ^ 0x27d4eb2f);
  if (!racingOf(seed) || random.next() >= takenOverShare) return null;
  const request: CreateWorkspace = { ...creationOf(random, [declinedCard]), plan: paidPlan };
  return Array.from({ length: 4 + random.below(5) }, (_, at) =>
    at === 0 || random.next() < 0.4 ? { do: 'create', request } : { do: 'kill', service: 'provisioning' },
  );
}

/** An upgrade that waits for the holder of the card, and what is done beside it. Null in most histories. */
function heldOf(seed: number): Action[] | null {
  if (!holdsPayments(seed)) return null;
  const random = createRandom(seed ^ 0x4cf5ad43);
  const tenantId = 'acme';
  const upgrade = (): Action => ({
    do: 'ask',
    request: requestOf(random, tenantId, [
      { action: 'upgrade_plan', name: 'upgrade', numbered: true, values: planned },
    ]),
  });
  const beside = [
    upgrade,
    (): Action => ({ do: 'ask', request: requestOf(random, tenantId) }),
    (): Action => ({ do: 'ask', request: givingUpOf(tenantId) }),
    (): Action => ({ do: 'migrate', request: migrationOf(random) }),
    (): Action => ({ do: 'provider_event', tenantId, type: random.pick(eventTypes) }),
    (): Action => ({ do: 'kill', service: random.pick(['operator', 'billing-webhook']) }),
    (): Action => ({ do: random.pick(['restart_all', 'time_passes'] as const) }),
  ];
  return [upgrade(), ...Array.from({ length: 1 + random.below(6) }, () => random.pick(beside)())];
}

/** The actions of one seed, in order. */
export function planActions(seed: number): Action[] {
  return heldOf(seed) ?? planFreely(seed);
}

/** The actions of one seed whose payments wait for nothing. */
export function planFreely(seed: number): Action[] {
  const special = rivalsOf(seed) ?? takenOverOf(seed);
  if (special) return special;
  const random = createRandom(seed ^ 0x2c1b3c6d);
  const tenants = random.pick([['acme'], ['acme', 'ws-1'], ['hooli'], ['acme', 'hooli'], ['hooli', 'ws-1']]);
  const rare = random.next() < 0.4;
  const swarm = swarmOf(seed);
  const pick = (): Action => {
    if (swarm) return swarm(random);
    const chance = random.next();
    const tenantId = random.pick(tenants);
    if (chance < 0.55) return { do: 'ask', request: requestOf(random, tenantId) };
    if (chance < 0.73) return { do: 'create', request: creationOf(random) };
    if (chance < 0.8) {
      const end = random.pick(['completed', 'completed', 'expired'] as const);
      return chance < 0.785 ? { do: 'checkout', end } : { do: 'ask', request: expiryOf(tenantId) };
    }
    if (chance < 0.85) return { do: 'provider_event', tenantId, type: random.pick(eventTypes) };
    if (chance < 0.9) return { do: 'migrate', request: migrationOf(random) };
    if (!rare) return { do: 'ask', request: requestOf(random, tenantId) };
    if (chance < 0.93) return { do: 'kill', service: random.pick([...services, 'storage', 'search-index']) };
    if (chance < 0.945) return { do: 'ask', request: deletionOf(tenantId) };
    return { do: random.pick(['wipe_broker', 'wipe_broker', 'restart_all', 'time_passes'] as const) };
  };
  const played = Array.from({ length: 2 + random.below(9) }, pick);
  // A separate generator, so that no other choice changes.
  const givesUp = createRandom(seed ^ 0x3c6ef372).next() < givingUpShare;
  return givesUp ? [...played, { do: 'ask', request: givingUpOf(tenants[0]!) }] : played;
}
