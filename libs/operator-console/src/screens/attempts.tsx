/** How often a delivery was sent, and for each attempt its time, its message id and the answer. */
import type { AttemptView, DeliveryView } from '@platform/contracts-lifecycle-delivery';
import { Id, Instant } from '@platform/design-parts';

const answerWords: Readonly<Record<NonNullable<AttemptView['answer']>['kind'], string>> = {
  receipt: 'receipt accepted',
  run_failed: 'run failed',
  receipt_refused: 'receipt refused',
};

function Answer({ answer, failures }: Pick<AttemptView, 'answer' | 'failures'>) {
  if (!answer) return <span class="quiet">nothing has come back</span>;
  return (
    <>
      <b>{answerWords[answer.kind]}</b> <Instant at={answer.at} />
      {answer.error !== undefined && (
        <>
          : <bdi>{answer.error}</bdi>
        </>
      )}
      {failures > 1 && <span class="quiet"> ({failures} failures)</span>}
    </>
  );
}

export function Attempts({ attemptCount, attempts = [] }: Pick<DeliveryView, 'attemptCount' | 'attempts'>) {
  if (attempts.length === 0) return <>{attemptCount}</>;
  return (
    <details class="attempts">
      <summary>
        {attemptCount} {attemptCount === 1 ? 'attempt' : 'attempts'}
      </summary>
      <ol>
        {attempts.map(({ number, startedAt, messageId, ...rest }) => (
          <li key={number} value={number}>
            <Instant at={startedAt} /> <Id>{messageId}</Id> <Answer {...rest} />
          </li>
        ))}
      </ol>
      {attempts.length < attemptCount && <p class="quiet">Earlier attempts are not listed here.</p>}
    </details>
  );
}
