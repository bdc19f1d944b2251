/** What a person does to a consumer: pauses, tests, replays. Only a platform owner and its team see the forms. */
import type { ConsumerTestView, ReplayView } from '@platform/contracts-lifecycle-delivery';
import { Fact, Instant } from '@platform/design-parts';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { Status } from '../parts';
import { ActionForm, useMayAct, type SectionProps } from './consumer-action-form';

export function Pause({ consumer, done }: SectionProps) {
  const { paused, actions = [], name } = consumer;
  const mayAct = useMayAct(consumer, 'pause');
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
        <b>failed</b> <Instant at={failure.at} both />: <bdi>{failure.error}</bdi>
      </>
    );
  return sentAt === undefined ? 'not sent yet' : 'sent, no answer yet';
}

/** How often the page checks for an awaited answer, and for how long. */
const lookEveryMs = 2_000;
const lookForMs = 60_000;

/** Reads again while something is awaited; `awaited` names it. */
function useLooking(awaited: string | undefined, done: () => void): void {
  useEffect(() => {
    if (awaited === undefined) return;
    const look = setInterval(done, lookEveryMs);
    const enough = setTimeout(() => clearInterval(look), lookForMs);
    return () => {
      clearInterval(look);
      clearTimeout(enough);
    };
  }, [awaited]);
}

export function Tests({ consumer, done }: SectionProps) {
  const { answersTests, paused, tests = [], name } = consumer;
  const mayAct = useMayAct(consumer, 'test');
  const last = tests.at(-1);
  useLooking(last && !last.receipt && !last.failure ? last.testId : undefined, done);
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
      {answersTests && !paused && !mayAct && tests.length === 0 && (
        <p class="quiet">No person has tested it. A platform owner may.</p>
      )}
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

function Progress({ replay }: { readonly replay: ReplayView }) {
  const { status, since, startedAt, by, reason, position, received, underWay, skipped, failures, endedAt } = replay;
  return (
    <dl class="summary">
      <Fact name="Status">
        <Status status={status} /> {endedAt !== undefined && <Instant at={endedAt} both />}
      </Fact>
      <Fact name="Asked for">
        <Instant at={startedAt} both /> by {by}: {reason}
      </Fact>
      <Fact name="Receipts from">
        <Instant at={since} both />
      </Fact>
      <Fact name="Sent up to">{position === undefined ? 'nothing yet' : <Instant at={position} both />}</Fact>
      <Fact name="Received again">
        <b>{received}</b> <span class="quiet">and {underWay} in the page that left last</span>
      </Fact>
      <Fact name="Left out, deleted or not registered">{skipped}</Fact>
      {failures && (
        <Fact name="Failed runs">
          <b>{failures.count}</b>, the last one <Instant at={failures.at} both />: <bdi>{failures.error}</bdi>
        </Fact>
      )}
    </dl>
  );
}

export function Replay({ consumer, done }: SectionProps) {
  const { replay, paused, name } = consumer;
  const mayAct = useMayAct(consumer, 'replay');
  const runs = replay?.status === 'running';
  // A received page changes the state, so the checks start again.
  useLooking(runs && !paused ? `${replay.requestId}:${replay.position}:${replay.received}` : undefined, done);
  return (
    <section aria-labelledby="replay">
      <h2 id="replay">Replay</h2>
      {replay && <Progress replay={replay} />}
      {runs && paused && <p class="quiet">It waits until the consumer is resumed.</p>}
      {!replay && !mayAct && <p class="quiet">No person has replayed anything. A platform owner may.</p>}
      {mayAct && (
        <ActionForm
          key={String(runs)}
          consumer={consumer}
          done={done}
          action={runs ? 'cancel_replay' : 'replay'}
          name="replay"
          since={!runs}
          label={runs ? `Cancel the replay to ${name}` : `Replay to ${name}`}
          note={
            runs
              ? 'What has left still arrives.'
              : 'It gets again what it gave receipts for, at most ten messages a second and behind everything live. It changes no operation. A consumer that restored its store makes up for what is lost by it.'
          }
        />
      )}
    </section>
  );
}
