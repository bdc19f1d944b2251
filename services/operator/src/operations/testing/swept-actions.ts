/**
 * The scenarios of the crash sweep of the operator's actions: each action from its request to its end, what a restarted
 * service and the broker do by themselves, and what must be finished after that.
 */
import { workspaceAccessBucket, type OperationAction } from '@platform/contracts-operator';
import { assert, canonicalJson } from '@platform/kernel';
import { StoreUnavailableError, type Store } from '@platform/mongo';
import type { PaymentProvider } from '@platform/payment-provider';
import { providerFaults } from '@platform/payment-provider/testing';
import {
  bucketFaults,
  checkHistory,
  combineFaults,
  formatViolations,
  instrument,
  investigationFaults,
  messagingFaults,
  providerSendFaults,
  settle,
  storeFaults,
  type Scenario,
} from '@platform/testing';
import { deliverSettlements, evidenceOf } from '../../testing/operator-history';
import {
  bootOperator,
  tenant,
  type AccessBucket,
  type OperatorLife,
  type OperatorWorld,
} from '../../testing/operator-world';
import { checkoutReceiptsCollection } from '../../checkout/store/checkout-receipts';
import { expireCheckout } from '../../checkout/workflows/expire-checkout';
import type { OperationRequest } from '../domain/operation';
import { accessOf } from '../../mirror/domain/access';
import { finishClearing } from '../workflows/finish-clearing';
import { createSituation, exampleRequest, spineExamples, type PlacedExample } from './example-worlds';
import { recordEnd, type Outcome } from './record-end';
import { lookAtPayments } from '../workflows/await-payment';
import { runOperation } from '../workflows/run-operation';
import { submitOperation, unlessAway } from './submit-operation';

type Ports = { readonly store: Store; readonly provider: PaymentProvider };

/** How a deliberately broken build differs: in its ports, or in its start. */
export interface Mutant {
  readonly ports?: (ports: Ports, world: OperatorWorld) => Ports;
  readonly bucket?: (bucket: AccessBucket, world: OperatorWorld) => AccessBucket;
  readonly atStart?: (life: OperatorLife) => Promise<void>;
  /** An investigator records this before the service is started again. */
  readonly investigated?: Outcome;
}

interface Case extends PlacedExample {
  readonly name?: string;
  /** The provider requires a confirmation by the card holder; this is what the holder does. */
  readonly person?: 'confirms' | 'confirms, and the price changes' | 'does nothing';
  /** An operation before this one, and where its process ended: its transition is still there. */
  readonly after?: { readonly request: OperationRequest; readonly endedAt: 'effects' | 'clearing' };
}

export const leftBehind: OperationRequest = { ...exampleRequest('upgrade_plan'), operationId: 'op-left-behind' };

/** Every action with its example in the situation that its definition names, and further cases for some of them. */
export const scenarios: readonly Case[] = [
  ...spineExamples,
  {
    name: 'cancel_subscription with a pending change',
    request: exampleRequest('cancel_subscription'),
    in: 'change_pending',
  },
  {
    name: 'upgrade_plan that is confirmed',
    request: exampleRequest('upgrade_plan'),
    in: 'subscribed',
    person: 'confirms',
  },
  {
    name: 'upgrade_plan whose price is changed once more',
    request: exampleRequest('upgrade_plan'),
    in: 'subscribed',
    person: 'confirms, and the price changes',
  },
  {
    name: 'upgrade_plan that no person confirms',
    request: exampleRequest('upgrade_plan'),
    in: 'subscribed',
    person: 'does nothing',
  },
  {
    name: 'suspend after an upgrade that was not cleared',
    request: exampleRequest('suspend'),
    in: 'subscribed',
    after: { request: leftBehind, endedAt: 'clearing' },
  },
  {
    name: 'suspend after an upgrade that is under way',
    request: exampleRequest('suspend'),
    in: 'subscribed',
    after: { request: leftBehind, endedAt: 'effects' },
  },
];

export function scenarioOf(action: OperationAction): Case {
  return scenarios.find(({ request }) => request.action === action)!;
}

class ProcessEnded extends Error {}

/** Runs an operation in a process that ends on its way, with the transition taken. */
async function leaveBehind(world: OperatorWorld, { request, endedAt }: NonNullable<Case['after']>): Promise<void> {
  const { ports } = bootOperator(world, 80);
  const endBefore = (step: typeof endedAt): void => {
    if (step === endedAt && world.subscription()?.transition) throw new ProcessEnded();
  };
  const [operations, subscriptions] = [{ ...ports.operations }, { ...ports.subscriptions }];
  operations.mutate = async (...given) => {
    endBefore('effects');
    return ports.operations.mutate(...given);
  };
  subscriptions.mutate = async (...given) => {
    if (world.operations().some(({ status }) => status === 'succeeded')) endBefore('clearing');
    return ports.subscriptions.mutate(...given);
  };
  await runOperation({ ...ports, operations, subscriptions }, request).catch((error: unknown) => {
    if (!(error instanceof ProcessEnded)) throw error;
  });
  assert(world.subscription()?.transition?.operationId === request.operationId, 'the transition is not left behind');
}

async function submit(life: OperatorLife, world: OperatorWorld, request: OperationRequest): Promise<void> {
  await submitOperation(life, world, request);
  await settle();
}

/** The card holder reacts only to what is recorded as waiting, because only a recorded address was sent. */
async function answerProvider(world: OperatorWorld, person: Case['person']): Promise<void> {
  for (const { status, payment } of world.operations()) {
    if (!person || status !== 'awaiting_payment' || !payment) continue;
    const invoice = await world.provider.retrieveInvoice(payment.invoiceId);
    if (invoice.outcome !== 'succeeded' || invoice.value.status !== 'open') continue;
    if (person === 'does nothing') world.provider.expirePayment(payment.invoiceId);
    else world.provider.confirmPayment(payment.invoiceId);
    if (person === 'confirms, and the price changes') await changePrice(world, payment.subscriptionId);
  }
}

/** A person changes the price at the provider, beside the platform. */
async function changePrice({ provider }: OperatorWorld, subscriptionId: string): Promise<void> {
  const read = await provider.retrieveSubscription(subscriptionId);
  assert(read.outcome === 'succeeded', `${subscriptionId} cannot be read`);
  const currentPeriodEnd = read.value.currentPeriodEnd!;
  provider.seed({ subscriptions: [{ ...read.value, priceId: 'price_starter', currentPeriodEnd }] });
}

/** Operations that waited for a payment and did not end as their invoice did. */
async function unfollowedPayments(world: OperatorWorld, person: Case['person']): Promise<string[]> {
  const judged = world.operations().map(async ({ _id, status, payment, resolution }) => {
    const invoice = payment && (await world.provider.retrieveInvoice(payment.invoiceId));
    const end = invoice?.outcome === 'succeeded' ? invoice.value.status : 'open';
    const paid = person === 'confirms' ? 'succeeded' : 'reconciliation_required';
    const wanted = end === 'paid' ? paid : end === 'void' ? 'failed' : status;
    return resolution || status === wanted || status === 'reconciliation_required'
      ? []
      : [`operation ${_id} is ${status}, and its invoice is ${end}`];
  });
  return (await Promise.all(judged)).flat();
}

/** What a restarted service and the broker do by themselves. */
async function catchUp(life: OperatorLife, world: OperatorWorld): Promise<void> {
  await unlessAway(finishClearing(life.ports));
  await unlessAway(life.sweepOutbox());
  await unlessAway(deliverSettlements(world, life));
  await unlessAway(deliverExpiry(world, life));
  await unlessAway(lookAtPayments(life.ports));
}

/** The checkouts that wait, with their sessions as the provider has them. */
async function openCheckouts(world: OperatorWorld) {
  const waiting = world.operations().filter(({ status }) => status === 'awaiting_receipts');
  const read = waiting.map(async ({ _id, checkout }) => {
    const session = checkout && (await world.provider.retrieveCheckoutSession(checkout.sessionId));
    return session?.outcome === 'succeeded' ? [{ operationId: _id, session: session.value }] : [];
  });
  return (await Promise.all(read)).flat();
}

/** The upgrades that wait, while their invoices are open. */
async function openPayments(world: OperatorWorld): Promise<string[]> {
  const read = world.operations().map(async ({ _id, status, payment }) => {
    const invoice =
      status === 'awaiting_payment' && payment && (await world.provider.retrieveInvoice(payment.invoiceId));
    return invoice && invoice.outcome === 'succeeded' && invoice.value.status === 'open' ? [_id] : [];
  });
  return (await Promise.all(read)).flat();
}

/** The provider sends the event of each session that has expired. */
async function deliverExpiry(world: OperatorWorld, life: OperatorLife): Promise<void> {
  const receipts = world.watched.collection(checkoutReceiptsCollection);
  for (const { session } of await openCheckouts(world))
    if (session.status === 'expired') await expireCheckout({ ...life.ports, receipts }, { object: { id: session.id } });
}

/**
 * Beyond the invariants: every decided operation is finished, and every waiting one waits for a person or a service.
 */
async function unfinishedBusiness(world: OperatorWorld): Promise<string[]> {
  const subscription = world.subscription();
  const transition = subscription?.transition;
  const copy = world.buckets.read(workspaceAccessBucket, tenant)?.value;
  const stale =
    subscription?.accessRevision !== undefined && canonicalJson(copy ?? null) !== canonicalJson(accessOf(subscription));
  // A checkout with an open page waits for a person, and so does a payment that was not given up.
  const unpaid = (await openCheckouts(world)).filter(({ session }) => session.status === 'open');
  const waiting = new Set([...unpaid.map(({ operationId }) => operationId), ...(await openPayments(world))]);
  return [
    ...(stale ? [`the bucket holds ${canonicalJson(copy ?? null)}, and the record says otherwise`] : []),
    ...unfinishedOperations(world, transition?.operationId, waiting),
  ];
}

function unfinishedOperations(
  world: OperatorWorld,
  transition: string | undefined,
  waiting: ReadonlySet<string>,
): string[] {
  return world
    .operations()
    .filter(({ _id }) => !waiting.has(_id))
    .flatMap(({ _id, status }) => [
      ...(status === 'pending' || status === 'awaiting_receipts' || status === 'awaiting_payment'
        ? [`operation ${_id} is still ${status} after everything was delivered and asked again`]
        : []),
      ...((status === 'succeeded' || status === 'failed') && transition === _id
        ? [`operation ${_id} is ${status}, and its transition remains`]
        : []),
    ]);
}

export function scenario(
  { request, in: situation, name = request.action, person, after }: Case,
  mutant: Mutant = {},
): Scenario<OperatorWorld, OperatorLife> {
  const { investigated } = mutant;
  return {
    name,
    createWorld: async () => {
      const world = await createSituation(situation);
      if (person) world.provider.askForConfirmation('sub_acme');
      if (after) await leaveBehind(world, after);
      return world;
    },
    boot: async (world, { tape, incarnation }) => {
      const honest = {
        store: instrument('store', world.watched, tape),
        provider: instrument('provider', world.provider as PaymentProvider, tape),
      };
      const bucket = instrument('bucket', world.bucket, tape);
      const life = bootOperator(world, incarnation, {
        ...(mutant.ports?.(honest, world) ?? honest),
        broker: instrument('messaging', world.broker, tape),
        bucket: mutant.bucket?.(bucket, world) ?? bucket,
      });
      await mutant.atStart?.(life);
      return life;
    },
    act: async (life, world) => {
      await submit(life, world, request);
      await unlessAway(deliverSettlements(world, life));
      await answerProvider(world, person);
      if (person) await unlessAway(lookAtPayments(life.ports));
      await submit(life, world, { ...request, values: { ...request.values, amountCents: 9_999 } });
    },
    recover: async (life, world) => {
      if (investigated) await recordEnd(world, request.operationId, investigated);
      await catchUp(life, world);
      await answerProvider(world, person);
      await submit(life, world, request);
      await answerProvider(world, person);
      await catchUp(life, world);
    },
    check: async (world) => [
      ...formatViolations(checkHistory(evidenceOf(world))),
      ...(await unfinishedBusiness(world)),
      ...(await unfollowedPayments(world, person)),
    ],
    faultsFor: combineFaults(
      storeFaults({ port: 'store', unavailable: () => new StoreUnavailableError('simulated') }),
      messagingFaults({ port: 'messaging' }),
      bucketFaults({ port: 'bucket' }),
      providerSendFaults<OperatorWorld, (typeof providerFaults)[number]['kind']>({
        port: 'provider',
        kinds: providerFaults.map(({ kind }) => kind),
        arm: (world, kind) => world.provider.failNext(kind),
      }),
      investigationFaults({ record: (world, outcome) => recordEnd(world, request.operationId, outcome) }),
    ),
  };
}
