/** Pauses and resumes a consumer with a reason, and lists who did so. Only a platform owner sees the form. */
import type { ConsumerView } from '@platform/contracts-lifecycle-delivery';
import { Instant } from '@platform/design-parts';
import { problemText } from '@platform/design-parts/requests';
import { useState } from 'preact/hooks';
import { newEntryId } from '../gateway';
import { problemOf, useSession } from '../session';
import { Field } from './action-fields';

function PauseForm({ consumer: { name, paused }, done }: { consumer: ConsumerView; done: () => void }) {
  const { gateway } = useSession();
  const action = paused ? 'resume' : 'pause';
  const [reason, setReason] = useState('');
  const [message, setMessage] = useState('');
  const [sending, setSending] = useState(false);
  // Kept until the outcome is known, so that a repeat is recognised.
  const [requestId, setRequestId] = useState(() => newEntryId(action));
  const submit = async (event: Event) => {
    event.preventDefault();
    setSending(true);
    const path = `/api/saas/lifecycle/consumers/${encodeURIComponent(name)}/actions`;
    const problem = problemOf(await gateway.send<ConsumerView>('POST', path, { requestId, action, reason }));
    setSending(false);
    setMessage(problem ? problemText(problem) : '');
    // The service takes this id for another request: only a new one can be recorded.
    if (problem?.code === 'invalid_request') setRequestId(newEntryId(action));
    if (problem) return;
    setRequestId(newEntryId(action));
    setReason('');
    done();
  };
  return (
    <form onSubmit={(event) => void submit(event)}>
      <p class="note">
        {paused
          ? 'What was recorded during the pause leaves at once.'
          : 'Nothing more is sent to it. It stays required: suspensions and reactivations wait for its receipt until it is resumed.'}
      </p>
      <Field label="Reason" name="consumer-reason">
        <input
          id="field-consumer-reason"
          required
          minLength={3}
          maxLength={200}
          value={reason}
          onInput={(event) => setReason(event.currentTarget.value)}
        />
      </Field>
      <div class="actions">
        <button type="submit" disabled={sending}>
          {paused ? `Resume ${name}` : `Pause ${name}`}
        </button>
        <span role="status" class="problem-text">
          {message}
        </span>
      </div>
    </form>
  );
}

export function Pause({ consumer, done }: { consumer: ConsumerView; done: () => void }) {
  const { role } = useSession();
  const { paused, actions = [], status } = consumer;
  return (
    <section aria-labelledby="pause">
      <h2 id="pause">{paused ? 'Paused' : 'Pause'}</h2>
      {actions.length > 0 && (
        <ul>
          {actions.map(({ requestId, action, by, at, reason }) => (
            <li key={requestId}>
              <Instant at={at} both /> {by}: <b>{action}</b>, {reason}
            </li>
          ))}
        </ul>
      )}
      {role === 'platform_owner' && status === 'registered' ? (
        <PauseForm key={String(paused)} consumer={consumer} done={done} />
      ) : (
        actions.length === 0 && <p class="quiet">No person has paused it. A platform owner may.</p>
      )}
    </section>
  );
}
