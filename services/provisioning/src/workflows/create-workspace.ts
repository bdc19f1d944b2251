/**
 * Creation of a workspace (workflows §3). The intent is durable before anything is reserved, reservations are durable
 * before any provider effect. Requests are not idempotent: a tenant's id is used once, and no other executor takes over
 * the steps of a creation. Time decides only that a request is not begun.
 */
import { creationLimits, type CreateWorkspace } from '@platform/contracts-provisioning';
import { StoreUnavailableError } from '@platform/mongo';
import { capacityKey, rateKey } from '../domain/identity';
import type { PreparingAttempt } from '../domain/attempt';
import { newAttempt } from '../domain/progress';
import { creationSteps } from './creation-steps';
import type { ProvisioningPorts } from './ports';
import { attemptKey } from './work-keys';
import { takeCreationStart, trialKeysOf } from './reserve';
import { refuseCreation, stopRun, type CreationAnswer, type CreationRun } from './run';

/** Creates the workspace, or says why not. Throws StoreUnavailableError only while nothing has begun. */
export async function createWorkspace(ports: ProvisioningPorts, request: CreateWorkspace): Promise<CreationAnswer> {
  const card = await readCard(ports, request);
  if (card.kind === 'refused') return card;
  const started = await takeCreationStart(ports, rateKey(request.user.id));
  if (started === 'refused')
    return refuseCreation('rate_limited', 'This account has started as many workspaces as it may for now.');
  if (started === 'unknown')
    return refuseCreation('store_unavailable', 'The creation could not be begun; nothing has happened.');
  return ports.work.run(attemptKey(request.tenantId), ({ retryPolicy }) =>
    begin({ ...ports, retryPolicy }, request, card.fingerprint),
  );
}

async function begin(
  ports: ProvisioningPorts,
  request: CreateWorkspace,
  fingerprint: string | null,
): Promise<CreationAnswer> {
  if (await isLate(ports, request)) {
    ports.log.warn(
      { tenantId: request.tenantId, askedAt: request.askedAt },
      'a creation came too late and is not begun',
    );
    return refuseCreation('store_unavailable', 'The request came too late; nothing was reserved or sent.');
  }
  const insertion = await ports.attempts.insert(
    newAttempt(request, ports.executor, reservationsFor(ports, request, fingerprint)),
  );
  if (insertion.outcome === 'unknown')
    return refuseCreation('store_unavailable', 'The intent could not be recorded; nothing was reserved or sent.');
  if (insertion.outcome === 'not_applied')
    return refuseCreation('tenant_id_taken', 'A creation with this id exists already.');
  const stored = insertion.record as PreparingAttempt;
  return perform({ ports, request, stored, attempt: stored });
}

/**
 * A process that was frozen gets its requests when it goes on. By then the gateway has answered that the creation is
 * open, and its person may have asked for another workspace, which would be paid for beside this one. The database is
 * asked for the time, because the counter of a machine that slept is behind.
 */
async function isLate({ databaseNow }: ProvisioningPorts, { askedAt }: CreateWorkspace): Promise<boolean> {
  if (askedAt === undefined) return false;
  const now = await databaseNow();
  return now.getTime() - new Date(askedAt).getTime() > creationLimits.requestSeconds * 1_000;
}

async function perform(run: CreationRun): Promise<CreationAnswer> {
  try {
    for (const step of creationSteps) {
      const end = await step(run);
      if (end) return end;
    }
    return { kind: 'unresolved', attempt: run.stored };
  } catch (error) {
    if (!(error instanceof StoreUnavailableError)) throw error;
    return stopRun(run, {
      code: 'store_unavailable',
      message: 'The store did not answer in the midst of the creation. Everything is kept.',
    });
  }
}

type Card =
  { readonly kind: 'read'; readonly fingerprint: string | null } | Extract<CreationAnswer, { kind: 'refused' }>;

/** This only reads. A free plan needs a card whose identity is known, because capacity is counted per card. */
async function readCard({ provider }: ProvisioningPorts, { paymentMethodId, plan }: CreateWorkspace): Promise<Card> {
  const read = await provider.retrievePaymentMethod(paymentMethodId);
  if (read.outcome === 'unknown')
    return {
      kind: 'refused',
      code: 'provider_unavailable',
      message: 'The payment method could not be read; nothing has happened.',
    };
  if (read.outcome === 'failed')
    return {
      kind: 'refused',
      code: 'payment_method_not_usable',
      message: 'The payment provider does not know this payment method.',
    };
  if (read.value.customerId !== null)
    return {
      kind: 'refused',
      code: 'payment_method_not_usable',
      message: 'This payment method belongs to a customer already.',
    };
  const fingerprint = read.value.cardFingerprint;
  if (fingerprint === null && plan.priceId === undefined)
    return {
      kind: 'refused',
      code: 'card_identity_unknown',
      message: 'A free workspace needs a card that the payment provider can identify.',
    };
  return { kind: 'read', fingerprint };
}

/** Without a card identity there is no trial, because new e-mail addresses cost nothing. */
function reservationsFor({ limits }: ProvisioningPorts, { plan, user }: CreateWorkspace, fingerprint: string | null) {
  const trial = plan.priceId !== undefined && limits.trialDays > 0 && fingerprint !== null;
  return {
    ...(plan.priceId === undefined && fingerprint !== null && { capacityKey: capacityKey(fingerprint) }),
    trialKeys: trial ? trialKeysOf(user.email, [fingerprint]) : [],
  };
}
