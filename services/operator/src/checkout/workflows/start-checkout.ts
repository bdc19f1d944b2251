/**
 * The start of a checkout, after its transition is recorded (workflows §4): trial decision, customer, session, and the
 * session recorded here before its address is returned. A session that may exist at the provider without a record needs
 * a person (specification §2).
 */
import { checkoutAwaitsSession, recordCheckpoint } from '../../operations/domain/journal';
import type { CheckoutSession, RunningOperation } from '../../operations/domain/operation';
import { withCustomer, writesUnderTransition, type Subscription } from '../../mirror/domain/subscription';
import { writeHeld } from '@platform/durable/effects';
import { readPatiently, writeFenced } from '@platform/durable/record';
import { journalFailure, journalStop, lost } from '../../operations/workflows/journal-outcome';
import type { OperationAnswer } from '../../operations/workflows/operation-answer';
import { effectsOf, holdOf, type OperationHold } from '../../operations/workflows/operation-effects';
import { performEffects } from '../../operations/workflows/perform-effects';
import type { ProviderCheckoutSession, ProviderSubscription } from '@platform/payment-provider';
import type { OperatorPorts } from '../../operations/workflows/ports';

export async function startCheckout(ports: OperatorPorts, started: RunningOperation): Promise<OperationAnswer> {
  const ended = started.attempts.some(({ providerCalls }) =>
    providerCalls.some(({ step, outcome }) => step === 'create_session' && outcome === 'succeeded'),
  );
  if (ended)
    return journalFailure(ports, holdOf(started), {
      code: 'retry_window_expired',
      message: 'The session of this checkout has ended. Choose a new id for a new checkout.',
    });
  const decided = await decideTrial(ports, started);
  if (decided.kind === 'ended') return decided.answer;
  const running = decided.operation;
  const { checkpoint = {}, values, tenantId } = running;
  const planId = String(values['planId']);
  const performed = await performEffects(ports, running, [
    checkpoint['customerId']
      ? { step: 'create_customer', skipped: 'the workspace has a customer at the provider' }
      : { step: 'create_customer', email: running.actor.email ?? '', name: tenantId },
    {
      step: 'create_session',
      from: (answers) => ({
        step: 'create_session',
        customerId: checkpoint['customerId'] ?? answers[0]?.objectId ?? '',
        priceId: checkpoint['priceId'] ?? '',
        tenantId,
        planId,
        trialDays: Number(checkpoint['trialDays'] ?? 0),
        successUrl: String(values['successUrl']),
        cancelUrl: String(values['cancelUrl']),
      }),
    },
  ]);
  if (performed.kind === 'ended') return performed.answer;
  const { hold, answers } = performed;
  const made = answers.find(({ step }) => step === 'create_session');
  if (!made?.objectId || !made.url || !made.expiresAt)
    return journalStop(ports, hold, {
      code: 'outcome_unknown',
      message: 'The provider made a session without an address.',
    });
  const customerId = checkpoint['customerId'] ?? answers.find(({ step }) => step === 'create_customer')?.objectId;
  const session: CheckoutSession = {
    sessionId: made.objectId,
    url: made.url,
    expiresAt: made.expiresAt,
    trialDays: Number(checkpoint['trialDays'] ?? 0),
  };
  return recordSession(ports, hold, session, customerId);
}

type Decided =
  | { readonly kind: 'decided'; readonly operation: RunningOperation }
  | { readonly kind: 'ended'; readonly answer: OperationAnswer };

/**
 * Asks once per operation and records the answer before the session is made, so that a retry sends the same payload. A
 * lost answer may have reserved the trial: this attempt proceeds without a trial and does not ask again.
 */
async function decideTrial(ports: OperatorPorts, operation: RunningOperation): Promise<Decided> {
  if (operation.checkpoint?.['trialDays'] !== undefined) return { kind: 'decided', operation };
  const notBegun = async (code: 'provider_unavailable' | 'peer_unavailable', why: string): Promise<Decided> => ({
    kind: 'ended',
    answer: await journalFailure(ports, holdOf(operation), {
      code,
      message: `${why} Nothing was begun; retry with the same operation id.`,
    }),
  });
  const { customerId, ...withoutCustomer } = operation.checkpoint ?? {};
  const asksForTrial = ports.reserveTrial !== undefined && operation.actor.email !== undefined;
  const { tenantId } = operation;
  const [buyer, lostCustomers] = await Promise.all([
    buyerOf(ports, tenantId, customerId, asksForTrial),
    readPatiently(ports.retryPolicy, () => ports.lostCustomers?.(tenantId) ?? Promise.resolve([])),
  ]);
  const sales = await Promise.all(lostCustomers.map((each) => lostSaleAt(ports, tenantId, each)));
  if (buyer === 'unavailable' || sales.includes('unavailable'))
    return notBegun(
      'provider_unavailable',
      'The customer, its subscriptions and its cards cannot be read at the payment provider.',
    );
  const lostSale = [buyer.lostSale, ...sales].find((each) => each !== null);
  if (lostSale)
    return {
      kind: 'ended',
      answer: await journalFailure(ports, holdOf(operation), {
        code: 'plan_already_applied',
        message: `${lostSale}, as after a restore. Nothing was begun; a person looks at it first.`,
      }),
    };
  const days = await trialDaysOf(ports, operation, buyer.cards);
  if (days === null) return notBegun('peer_unavailable', 'The service that knows about trials does not answer.');
  const buying = buyer.deleted ? { ...operation, checkpoint: withoutCustomer } : operation;
  const written = await writeFenced(
    ports.operations,
    operation,
    recordCheckpoint(buying, { trialDays: String(days) }),
    [],
    ports.retryPolicy,
  );
  if (written.kind === 'written') return { kind: 'decided', operation: written.record as RunningOperation };
  if (written.kind === 'lost') return { kind: 'ended', answer: await lost(ports, written.record) };
  return {
    kind: 'ended',
    answer: {
      kind: 'store_unavailable',
      detail: `No session was made: the trial decision could not be recorded (${written.reason}).`,
    },
  };
}

/** Null when provably no decision was asked for. */
async function trialDaysOf(
  { reserveTrial, log }: OperatorPorts,
  { _id: operationId, tenantId, actor: { email } }: RunningOperation,
  cardFingerprints: readonly string[],
): Promise<number | null> {
  if (!reserveTrial || email === undefined) return 0;
  const answer = await reserveTrial({ tenantId, operationId, email, cardFingerprints });
  if (answer.kind === 'not_asked') return null;
  if (answer.kind === 'uncertain')
    log.warn({ operationId }, 'it is not known whether a trial was reserved; the checkout goes on without one');
  return answer.kind === 'decided' ? answer.days : 0;
}

interface Buyer {
  /** What the platform sells or has sold to this workspace without a record of it: a second sale would be paid beside. */
  readonly lostSale: string | null;
  /** A person deleted the customer at the provider. It buys nothing any more, so another customer is made. */
  readonly deleted: boolean;
  /** Fingerprints of the customer's cards; besides the e-mail address, they identify the holder of a trial. */
  readonly cards: readonly string[];
}

/** Nothing more is collected for these. An incomplete one may be paid until it expires. */
const over: ReadonlySet<ProviderSubscription['status']> = new Set(['canceled', 'incomplete_expired']);

async function buyerOf(
  { provider }: Pick<OperatorPorts, 'provider'>,
  tenantId: string,
  customerId: string | undefined,
  readsCards: boolean,
): Promise<Buyer | 'unavailable'> {
  if (customerId === undefined) return { lostSale: null, deleted: false, cards: [] };
  const [customer, lostSale, methods] = await Promise.all([
    provider.retrieveCustomer(customerId),
    lostSaleAt({ provider }, tenantId, customerId),
    readsCards ? provider.listPaymentMethods(customerId) : null,
  ]);
  if (lostSale === 'unavailable' || customer.outcome === 'unknown' || methods?.outcome === 'unknown')
    return 'unavailable';
  const found = methods?.outcome === 'succeeded' ? methods.value : [];
  return {
    lostSale,
    deleted: customer.outcome === 'succeeded' && customer.value.deleted,
    cards: found.flatMap(({ cardFingerprint }) => (cardFingerprint === null ? [] : [cardFingerprint])),
  };
}

/** What a customer of the provider pays, or may still pay, for this workspace; null: nothing. */
async function lostSaleAt(
  { provider }: Pick<OperatorPorts, 'provider'>,
  tenantId: string,
  customerId: string,
): Promise<string | null | 'unavailable'> {
  // In this order, a page that is paid between the two reads shows in one of them.
  const pages = await provider.listCheckoutSessions(customerId);
  const subscriptions = await provider.listSubscriptions(customerId);
  if (pages.outcome === 'unknown' || subscriptions.outcome === 'unknown') return 'unavailable';
  return lostSaleOf(
    tenantId,
    pages.outcome === 'succeeded' ? pages.value : [],
    subscriptions.outcome === 'succeeded' ? subscriptions.value : [],
  );
}

/** While a checkout holds its workspace none other has an open page there, unless the records lack it. */
function lostSaleOf(
  tenantId: string,
  pages: readonly ProviderCheckoutSession[],
  subscriptions: readonly ProviderSubscription[],
): string | null {
  const isSoldHere = ({ metadata }: Pick<ProviderSubscription, 'metadata'>) =>
    [metadata['tenantId'], metadata['provisioningAttempt']].includes(tenantId);
  const page = pages.find((each) => each.status === 'open' && isSoldHere(each));
  if (page)
    return `Until ${page.expiresAt.toISOString()} the workspace can pay on page ${page.id} of the payment provider, which the records lack`;
  const paid = subscriptions.find((each) => !over.has(each.status) && isSoldHere(each));
  return paid ? `The workspace pays by ${paid.id} at the payment provider, which the records lack` : null;
}

/**
 * The session is recorded first in the subscription, then in the journal; only then does the caller get the address.
 */
async function recordSession(
  ports: OperatorPorts,
  hold: OperationHold,
  session: CheckoutSession,
  customerId: string | undefined,
): Promise<OperationAnswer> {
  const unacknowledged = (reason: string) =>
    journalStop(ports, hold, {
      code: 'outcome_unknown',
      message: `Session ${session.sessionId} was made and not recorded (${reason}). It must be expired at the provider.`,
    });
  const operation = hold.working;
  const subscription = await readPatiently(ports.retryPolicy, () =>
    ports.subscriptions.findById(operation.tenantId),
  ).catch(() => null);
  if (!subscription || !writesUnderTransition(subscription, operation))
    return unacknowledged('the transition no longer exists, or cannot be read');
  const next: Subscription = {
    ...subscription,
    checkout: { sessionId: session.sessionId, operationId: operation._id },
    provider: customerId ? withCustomer(subscription.provider, customerId) : subscription.provider,
  };
  const recorded = await writeFenced(ports.subscriptions, subscription, next, [], ports.retryPolicy);
  if (recorded.kind !== 'written') return unacknowledged('the subscription could not be written');
  const waiting = checkoutAwaitsSession(operation, session, ports.clock.now());
  const written = await writeHeld(effectsOf(ports), hold, waiting);
  if (written.kind === 'unknown')
    return {
      kind: 'store_unavailable',
      detail: `The session is made and recorded, but the journal could not be written (${written.reason}). Read the operation; do not choose a new id.`,
    };
  if (written.kind === 'written') ports.meter.operationReached(operation.action, written.record.status);
  return lost(ports, written.record);
}
