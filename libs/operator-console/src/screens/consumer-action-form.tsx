/** One action on a consumer with its reason, as a form that keeps its request id until the outcome is known. */
import type { ActOnConsumer, ConsumerView } from '@platform/contracts-lifecycle-delivery';
import { problemText } from '@platform/design-parts/requests';
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
  const { gateway } = useSession();
  const [reason, setReason] = useState('');
  const [from, setFrom] = useState('');
  const [message, setMessage] = useState('');
  const [failed, setFailed] = useState(false);
  const [sending, setSending] = useState(false);
  // Kept until the outcome is known, so that a repeat is recognised.
  const [requestId, setRequestId] = useState(() => newEntryId(action));
  const submit = async (event: Event) => {
    event.preventDefault();
    setSending(true);
    const path = `/api/saas/lifecycle/consumers/${encodeURIComponent(consumer.name)}/actions`;
    const body = { requestId, action, reason, ...(since && { since: new Date(from).toISOString() }) };
    const problem = problemOf(await gateway.send<ConsumerView>('POST', path, body));
    setSending(false);
    setMessage(problem ? problemText(problem) : 'Recorded.');
    setFailed(problem !== null);
    // With this refusal, the id was not recorded or belongs to another request, so a new id is needed.
    if (problem && spent.has(problem.code)) setRequestId(newEntryId(action));
    if (problem) return;
    setRequestId(newEntryId(action));
    setReason('');
    done();
  };
  return (
    <form onSubmit={(event) => void submit(event)}>
      <p class="note">{note}</p>
      {since && (
        <Field label="What it gave receipts for since" name={`${name}-since`}>
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
      <Field label={`Reason ${reasons[action]}`} name={`${name}-reason`}>
        <input
          id={`field-${name}-reason`}
          required
          minLength={3}
          maxLength={200}
          value={reason}
          onInput={(event) => setReason(event.currentTarget.value)}
        />
      </Field>
      <div class="actions">
        <button type="submit" disabled={sending}>
          {label}
        </button>
        <span role="status" class={failed ? 'problem-text' : 'quiet'}>
          {message}
        </span>
      </div>
    </form>
  );
}
