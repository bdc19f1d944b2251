/**
 * Calls provisioning listeners one after another. Each call is recorded before it is made, the first failure stops the
 * series, and no listener is called twice. Extras pass from the request to the listener and are not stored.
 */
import {
  listenerAnswerSchema,
  listenerSubjects,
  type ProvisioningEvent,
  type ProvisioningNotice,
} from '@platform/contracts-provisioning';
import { unreadBeside } from '@platform/durable/record';
import { ok, refused, type Result } from '@platform/kernel';
import { wasNotReceived } from '@platform/messaging';
import type { AttemptError } from '../domain/attempt';
import { listenersOf, type Listener } from '../domain/listener';
import { answerListenerCall, recordListenerCall } from '../domain/progress';
import type { ProvisioningPorts } from './ports';
import { save, type CreationAnswer, type Run } from './run';

export type Heard =
  | { readonly kind: 'done' }
  | { readonly kind: 'failed'; readonly error: AttemptError }
  | { readonly kind: 'ended'; readonly answer: CreationAnswer };

/** Far above the limit of registrations, which two concurrent registrations may exceed, so no listener is left out. */
const readMax = 1_000;

/**
 * Refused while the registration of a listener cannot be read as a record: that listener may be required. Throws
 * StoreUnavailableError when the listeners cannot be read.
 */
export async function registeredFor(
  { listeners }: Pick<ProvisioningPorts, 'listeners'>,
  event: ProvisioningEvent,
): Promise<Result<Listener[], AttemptError>> {
  const found = await listeners.find(
    { status: { $ne: 'unregistered' } },
    { sort: { status: 1, _id: 1 }, limit: readMax },
  );
  const unread = await unreadBeside(listeners, found, ({ status }) => status === 'registered');
  return unread === null
    ? ok(listenersOf(found, event))
    : refused({
        code: 'listeners_unreadable',
        message: `The listeners of ${event} are not all known, so none is called now. ${unread}.`,
      });
}

/** Throws StoreUnavailableError when the listeners cannot be read. */
export async function callListeners(
  run: Run,
  event: ProvisioningEvent,
  extras?: ProvisioningNotice['extras'],
): Promise<Heard> {
  const { ports } = run;
  const required = await registeredFor(ports, event);
  if (!required.ok) return { kind: 'failed', error: required.error };
  for (const { _id: listener } of required.value) {
    run.attempt = recordListenerCall(run.attempt, { listener, event, calledAt: ports.clock.now() });
    const end = await save(run);
    if (end) return { kind: 'ended', answer: end };
    const error = await askListener(ports, listener, noticeOf(run, event, extras));
    run.attempt = answerListenerCall(run.attempt, error === null ? 'done' : 'failed');
    if (error !== null) return { kind: 'failed', error };
  }
  return { kind: 'done' };
}

const safeCode = /^[a-z][a-z0-9_]{0,63}$/;

function noticeOf(
  { attempt }: Run,
  event: ProvisioningEvent,
  extras: ProvisioningNotice['extras'],
): ProvisioningNotice {
  return {
    event,
    tenantId: attempt.tenantId,
    attemptId: attempt._id,
    workspaceName: attempt.workspaceName,
    ownerUserId: attempt.userId,
    planId: attempt.plan.planId,
    ...(extras && { extras }),
  };
}

/** Null when the listener succeeded. The error never has the listener's own text, which may repeat the extras. */
export async function askListener(
  { messaging, limits }: Pick<ProvisioningPorts, 'messaging' | 'limits'>,
  listener: string,
  notice: ProvisioningNotice,
): Promise<AttemptError | null> {
  const subject = listenerSubjects[notice.event](listener);
  const answer = await messaging.request(subject, notice, limits.listenerTimeoutMs);
  const failed = (failure: string, what = 'What it did is not known.'): AttemptError => ({
    code: 'listener_failed',
    message: `Listener ${listener} of ${notice.event} did not succeed (${failure}). ${what}`,
  });
  if (answer.ok) return listenerAnswerSchema.safeParse(answer.value).success ? null : failed('answer_not_understood');
  const { code, serverCode } = answer.error;
  if (wasNotReceived(answer.error)) return failed(code, 'No process received the call, so it has done nothing.');
  return failed(serverCode !== undefined && safeCode.test(serverCode) ? serverCode : code);
}
