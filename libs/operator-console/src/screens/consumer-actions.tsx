/** What a person does to a consumer: pauses and resumes it, and sends it a test. Only a platform owner sees the forms. */
import type { ActOnConsumer, ConsumerTestView, ConsumerView } from '@platform/contracts-lifecycle-delivery';
import { Instant } from '@platform/design-parts';
import { problemText } from '@platform/design-parts/requests';
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { newEntryId } from '../gateway';
import { problemOf, useSession } from '../session';
import { Field } from './action-fields';

interface SectionProps {
  readonly consumer: ConsumerView;
  /** Reads the consumer again. */
  readonly done: () => void;
}

function useMayAct({ status }: ConsumerView): boolean {
  const { role } = useSession();
  return role === 'platform_owner' && status === 'registered';
}

interface ActionFormProps extends SectionProps {
  readonly action: ActOnConsumer['action'];
  /** Names its fields. */
  readonly name: string;
  readonly label: string;
  readonly note: string;
}

function ActionForm({ consumer, done, action, name, label, note }: ActionFormProps) {
  const { gateway } = useSession();
  const [reason, setReason] = useState('');
  const [message, setMessage] = useState('');
  const [sending, setSending] = useState(false);
  // Kept until the outcome is known, so that a repeat is recognised.
  const [requestId, setRequestId] = useState(() => newEntryId(action));
  const submit = async (event: Event) => {
    event.preventDefault();
    setSending(true);
    const path = `/api/saas/lifecycle/consumers/${encodeURIComponent(consumer.name)}/actions`;
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
      <p class="note">{note}</p>
      <Field label="Reason" name={`${name}-reason`}>
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
        <span role="status" class="problem-text">
          {message}
        </span>
      </div>
    </form>
  );
}

export function Pause({ consumer, done }: SectionProps) {
  const { paused, actions = [], name } = consumer;
  const mayAct = useMayAct(consumer);
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
      {mayAct ? (
        <ActionForm
          key={String(paused)}
          consumer={consumer}
          done={done}
          action={paused ? 'resume' : 'pause'}
          name="consumer"
          label={paused ? `Resume ${name}` : `Pause ${name}`}
          note={
            paused
              ? 'What was recorded during the pause leaves at once.'
              : 'Nothing more is sent to it. It stays required: suspensions and reactivations wait for its receipt until it is resumed.'
          }
        />
      ) : (
        actions.length === 0 && <p class="quiet">No person has paused it. A platform owner may.</p>
      )}
    </section>
  );
}

function Answer({ sentAt, receipt, failure }: ConsumerTestView): ComponentChildren {
  if (receipt)
    return (
      <>
        <b>answered</b> with the receipt <code>{receipt.receiptId}</code>, <Instant at={receipt.acceptedAt} both />
      </>
    );
  if (failure)
    return (
      <>
        <b>failed</b> <Instant at={failure.at} both />: {failure.error}
      </>
    );
  return sentAt === undefined ? 'not sent yet' : 'sent, no answer yet';
}

/** How often the page looks for an answer, and for how long. */
const lookEveryMs = 2_000;
const lookForMs = 60_000;

export function Tests({ consumer, done }: SectionProps) {
  const { answersTests, paused, tests = [], name } = consumer;
  const mayAct = useMayAct(consumer);
  const last = tests.at(-1);
  const awaited = last && !last.receipt && !last.failure ? last.testId : undefined;
  useEffect(() => {
    if (awaited === undefined) return;
    const look = setInterval(done, lookEveryMs);
    const enough = setTimeout(() => clearInterval(look), lookForMs);
    return () => {
      clearInterval(look);
      clearTimeout(enough);
    };
  }, [awaited]);
  return (
    <section aria-labelledby="tests">
      <h2 id="tests">Tests</h2>
      {tests.length > 0 && (
        <ul>
          {tests.toReversed().map((test) => (
            <li key={test.testId}>
              <Instant at={test.requestedAt} both /> {test.by}, {test.reason}: <Answer {...test} />
            </li>
          ))}
        </ul>
      )}
      {!answersTests && (
        <p class="quiet">Its registration does not say that it answers tests, so none is sent to it.</p>
      )}
      {answersTests && paused && <p class="quiet">It is paused: no test is sent to it.</p>}
      {answersTests && !paused && mayAct && (
        <ActionForm
          consumer={consumer}
          done={done}
          action="test"
          name="test"
          label={`Send a test to ${name}`}
          note="One message that names no workspace. It waits behind what the consumer has not read yet; its receipt appears here."
        />
      )}
    </section>
  );
}
