/**
 * Provider events that belong to creations (workflows §6): admitted once by an insert, handled once, the outcome
 * published from the admission. The handler reads the invoice again; the event's content only says which one.
 */
import {
  providerEventSubjects,
  providerEventTypes,
  providerEventMessageIds,
  type ProviderEventMessage,
} from '@platform/contracts-provisioning';
import { sameExecutor, type OutboxEntry } from '@platform/kernel';
import { insertFenced, writeFenced } from '@platform/durable/record';
import type { Checked } from '@platform/durable/steps';
import { apart, StoreUnavailableError } from '@platform/mongo';
import { isOpen, type Attempt } from '../domain/attempt';
import {
  admissionSteps,
  subjectOf,
  type CompletedAdmission,
  type EventAdmission,
  type EventSubject,
  type JudgedEvent,
  type PendingAdmission,
} from '../domain/event-admission';
import type { ProviderReads } from '@platform/payment-provider';
import type { ProvisioningPorts } from './ports';
import { reconcileAttempt } from './reconcile';
import { admissionKey } from './work-keys';

/** `again`: no admission is confirmed; deliver the message again. */
export type Handled = 'handled' | 'again';

const supported = 'invoice.paid';

/**
 * The admission is found out before the message is given back: one that no process knows of would stay pending, and no
 * other may complete it. Throws StoreUnavailableError while nothing has been admitted.
 */
export async function handleProviderEvent(ports: ProvisioningPorts, event: ProviderEventMessage): Promise<Handled> {
  const { eventId: _id, type, admittedRevision } = event;
  const { executor } = ports;
  const about = subjectOf(event.object);
  const pending = { _id, type, admittedRevision, executor, about, status: 'pending' } as const;
  const key = admissionKey(_id);
  // Two drafts of one process could be equal, so only one delivery at a time tries to insert.
  if (ports.work.find(key)) return repeat(ports, await ports.admissions.findById(_id), event);
  return ports.work.run(key, async ({ retryPolicy }) => {
    const patient = { ...ports, retryPolicy };
    const insertion = await insertFenced(
      ports.admissions,
      admissionSteps.begin<PendingAdmission>(pending),
      retryPolicy,
    );
    if (insertion.kind === 'written')
      return complete(patient, insertion.record as PendingAdmission, await judge(patient, event));
    return repeat(patient, insertion.kind === 'exists' ? insertion.record : null, event);
  });
}

/**
 * A pending admission is left to its executor; a completed one publishes its outcome again, for the receiver that asked
 * this time.
 */
async function repeat(
  ports: ProvisioningPorts,
  admission: EventAdmission | null,
  { admittedRevision }: ProviderEventMessage,
): Promise<Handled> {
  if (!admission) return 'again';
  if (admission.status === 'pending') return 'handled';
  return announce(ports, admission, admissionSteps.keep(admission, { admittedRevision }));
}

function complete(ports: ProvisioningPorts, admission: PendingAdmission, outcome: JudgedEvent): Promise<Handled> {
  return announce(ports, admission, admissionSteps.move(admission, 'completed', { outcome }));
}

/** Writes a completed admission together with the message that carries its outcome. */
async function announce(
  ports: ProvisioningPorts,
  current: EventAdmission,
  next: Checked<CompletedAdmission>,
): Promise<Handled> {
  const announcement = outcomeEntry(next, ports.clock.now());
  const written = await writeFenced(ports.admissions, current, next, [announcement], ports.retryPolicy);
  if (written.kind === 'written') ports.publishNow('provider_event_admissions', next._id, [announcement]);
  return 'handled';
}

function outcomeEntry(
  { _id: eventId, admittedRevision, outcome }: Pick<CompletedAdmission, '_id' | 'admittedRevision' | 'outcome'>,
  createdAt: Date,
): OutboxEntry {
  const { kind, error } = outcome;
  return {
    id: `${providerEventMessageIds.outcome(eventId)}:${admittedRevision}`,
    subject: providerEventSubjects.outcome('provisioning'),
    type: providerEventTypes.outcome,
    body: { eventId, admittedRevision, outcome: kind, ...(error !== undefined && { error }) },
    closesOn: 'publish_ack',
    createdAt,
  };
}

async function judge(ports: ProvisioningPorts, event: ProviderEventMessage): Promise<JudgedEvent> {
  try {
    return await handleInvoicePaid(ports, event);
  } catch (error) {
    if (error instanceof StoreUnavailableError)
      return { kind: 'unknown', error: 'The store did not answer while the event was handled.' };
    // An admitted event whose handler fails is left to people (specification §3).
    ports.log.error({ eventId: event.eventId, error: String(error) }, 'the handler of a provider event broke');
    return { kind: 'failed', error: 'The handler broke; its log has the reason.' };
  }
}

/**
 * `invoice.paid` of a first invoice: commits a prepared creation, even one whose payment has an unknown outcome here.
 */
async function handleInvoicePaid(ports: ProvisioningPorts, event: ProviderEventMessage): Promise<JudgedEvent> {
  if (event.type !== supported) return { kind: 'skipped', error: `Provisioning handles ${supported} only.` };
  const found = await lookUp(ports, subjectOf(event.object));
  if (found === 'unknown')
    return { kind: 'unknown', error: 'The payment provider did not answer whose invoice it is.' };
  const { attempt, named } = found;
  // The record of a creation is never removed, so this one was lost, as by a restore, and its person has paid.
  if (!attempt && named !== undefined)
    return { kind: 'failed', error: `No record of the creation ${named} exists, and its first invoice is paid.` };
  if (!attempt) return { kind: 'skipped', error: 'No creation of ours has this invoice.' };
  if (attempt.status === 'committed') return { kind: 'success' };
  if (!isOpen(attempt))
    return {
      kind: 'failed',
      error: `The creation of ${attempt.tenantId} was taken back, and its first invoice is paid.`,
    };
  const outcome = await reconcileAttempt(ports, attempt, 'provider_event');
  switch (outcome) {
    case 'committed':
    // The creation is not committed yet, or the provider does not show the invoice as paid: the executor or the
    // reconciliation reads it again.
    case 'not_prepared':
    case 'unpaid':
      return { kind: 'success' };
    case 'cancelled':
    case 'paid_while_taken_back':
      return {
        kind: 'failed',
        error: `The creation of ${attempt.tenantId} is being taken back, and its first invoice is paid.`,
      };
    case 'paid_after_end':
      return {
        kind: 'failed',
        error: `The first invoice of ${attempt.tenantId} is paid, and its subscription has ended.`,
      };
    case 'unknown':
      return { kind: 'unknown', error: `It is not known whether the creation of ${attempt.tenantId} is committed.` };
  }
}

type FindPorts = { readonly attempts: ProvisioningPorts['attempts']; readonly provider: ProviderReads };

/** The creation of an invoice; null where no record has it. */
export async function findAttempt(ports: FindPorts, subject: EventSubject): Promise<Attempt | null | 'unknown'> {
  const found = await lookUp(ports, subject);
  return found === 'unknown' ? found : found.attempt;
}

/**
 * Found by the handles that the platform recorded; when the event was faster than the record, by the subscription's
 * metadata. `named` is the creation that the metadata name.
 */
async function lookUp(
  { attempts, provider }: FindPorts,
  { invoiceId, subscriptionId, attemptId }: EventSubject,
): Promise<{ readonly attempt: Attempt | null; readonly named?: string } | 'unknown'> {
  const by = async (path: string, id: string | undefined) =>
    id === undefined ? undefined : (await attempts.find({ [path]: id }, { sort: { _id: 1 }, limit: 1 }))[0];
  const recorded = (await by('handles.invoiceId', invoiceId)) ?? (await by('handles.subscriptionId', subscriptionId));
  if (recorded) return { attempt: recorded };
  if (attemptId !== undefined) return { attempt: await attempts.findById(attemptId), named: attemptId };
  if (subscriptionId === undefined) return { attempt: null };
  const subscription = await provider.retrieveSubscription(subscriptionId);
  if (subscription.outcome === 'unknown') return 'unknown';
  const named = subscription.outcome === 'succeeded' ? subscription.value.metadata['provisioningAttempt'] : undefined;
  return named === undefined ? { attempt: null } : { attempt: await attempts.findById(named), named };
}

/**
 * At start: events that an earlier boot of this instance admitted and did not complete become unknown permanently
 * (specification §3).
 */
export async function abandonInterruptedEvents(ports: ProvisioningPorts): Promise<number> {
  const pending = await ports.admissions.find({ status: 'pending' }, { sort: { createdAt: 1, _id: 1 }, limit: 1_000 });
  const error = 'The service ended while it handled this event.';
  let abandoned = 0;
  for (const admission of pending)
    await apart(ports.admissions, admission._id, async () => {
      const { executor } = admission;
      if (executor.instance !== ports.executor.instance || sameExecutor(executor, ports.executor)) return;
      if (admission.status !== 'pending') return;
      await complete(ports, admission, { kind: 'unknown', error });
      abandoned += 1;
    });
  return abandoned;
}
