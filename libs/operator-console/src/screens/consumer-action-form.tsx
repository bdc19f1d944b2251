/** One action on a consumer with its reason, as a form that keeps its request id until the outcome is known. */
import type { ActOnConsumer, ConsumerView } from '@platform/contracts-lifecycle-delivery';
import { refusalText } from '@platform/design-parts/requests';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { newEntryId } from '../gateway';
import { problemOf, useSession } from '../session';
import { Field } from './action-fields';

export interface SectionProps {
  readonly consumer: ConsumerView;
  /** Reads the consumer again. */
  readonly done: () => void;
}

/** A pause is the platform owner's; the rest is for the consumer's team too. */
export function useMayAct({ status }: ConsumerView, action: 'pause' | 'test' | 'replay'): boolean {
  const { role, consumers } = useSession();
  return (role === 'platform_owner' || (consumers !== undefined && action !== 'pause')) && status === 'registered';
}

/** Refusals after which the same request cannot be recorded. */
const spent = new Set(['invalid_request', 'consumer_action_refused']);

/** A screen has several of these forms: each field says whose reason it takes. */
const reasons = {
  pause: 'for the pause',
  resume: 'to resume',
  test: 'for the test',
  replay: 'for the replay',
  cancel_replay: 'to cancel the replay',
  register_endpoint: 'to register the endpoint',
  remove_endpoint: 'to remove the endpoint',
} as const satisfies Record<ActOnConsumer['action'], string>;

/** Sends an action on a consumer and keeps its request id until the outcome is known. */
export function useConsumerAction(action: ActOnConsumer['action']) {
  const { gateway } = useSession();
  const [message, setMessage] = useState('');
  const [failed, setFailed] = useState(false);
  const [sending, setSending] = useState(false);
  // Kept until the outcome is known, so that a repeat is recognised.
  const [requestId, setRequestId] = useState(() => newEntryId(action));
  /** Resolves with whether the action is recorded. */
  const ask = async (consumer: string, values: { readonly reason: string }): Promise<boolean> => {
    setSending(true);
    const path = `/api/saas/lifecycle/consumers/${encodeURIComponent(consumer)}/actions`;
    const problem = problemOf(await gateway.send<ConsumerView>('POST', path, { requestId, action, ...values }));
    setSending(false);
    setMessage(problem ? refusalText(problem) : 'Recorded.');
    setFailed(problem !== null);
    // With this refusal, the id was not recorded or belongs to another request, so a new id is needed.
    if (!problem || spent.has(problem.code)) setRequestId(newEntryId(action));
    return problem === null;
  };
  const said = (
    <span role="status" class={failed ? 'problem-text' : 'quiet'}>
      {message}
    </span>
  );
  return { ask, sending, said };
}

interface ReasonProps extends Pick<JSX.IntrinsicElements['input'], 'value' | 'onInput'> {
  readonly action: ActOnConsumer['action'];
  /** Prefix of the field's name. */
  readonly name: string;
}

/** The reason that stays on record. */
export function Reason({ action, name, ...input }: ReasonProps) {
  return (
    <Field label={`Reason ${reasons[action]}`} name={`${name}-reason`}>
      <input id={`field-${name}-reason`} name="reason" required minLength={3} maxLength={200} {...input} />
    </Field>
  );
}

interface ActionFormProps extends SectionProps {
  readonly action: ActOnConsumer['action'];
  /** Prefix of its fields' names. */
  readonly name: string;
  readonly label: string;
  readonly note: string;
  /** Whether the form asks for a start time, which is read in the viewer's zone. */
  readonly since?: boolean;
}

export function ActionForm({ consumer, done, action, name, label, note, since }: ActionFormProps) {
  const { ask, sending, said } = useConsumerAction(action);
  const [reason, setReason] = useState('');
  const [from, setFrom] = useState('');
  const submit = async (event: Event) => {
    event.preventDefault();
    if (!(await ask(consumer.name, { reason, ...(since && { since: new Date(from).toISOString() }) }))) return;
    setReason('');
    done();
  };
  return (
    <form onSubmit={(event) => void submit(event)}>
      <p class="note">{note}</p>
      {since && (
        <Field label="What it gave receipts for since (your time)" name={`${name}-since`}>
          <input
            id={`field-${name}-since`}
            type="datetime-local"
            step="1"
            required
            value={from}
            onInput={(event) => setFrom(event.currentTarget.value)}
          />
        </Field>
      )}
      <Reason action={action} name={name} value={reason} onInput={(event) => setReason(event.currentTarget.value)} />
      <div class="actions">
        <button type="submit" disabled={sending}>
          {label}
        </button>
        {said}
      </div>
    </form>
  );
}
