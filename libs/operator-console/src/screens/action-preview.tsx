/**
 * The gateway's preview of an action for the entered values. The console decides nothing: until the gateway has
 * answered for exactly these values, it shows no consequences.
 */
import type { ActionPreview } from '@platform/contracts-operator';
import { previewPath, type OperationAction } from '@platform/contracts-operator/actions';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { addressOf, refusedFields } from '../action-values';
import { problemText, type Answer } from '@platform/design-parts/requests';
import { problemOf, useSession } from '../session';

const typingPauseMs = 250;

/** The gateway's answer for these values; null while the request is running, or without values. `again` asks once more. */
function usePreview(
  action: OperationAction,
  tenantId: string,
  values: Readonly<Record<string, unknown>> | null,
  seen: unknown,
): { readonly answer: Answer<ActionPreview> | null; readonly again: () => void } {
  const { gateway } = useSession();
  const [turn, setTurn] = useState(0);
  const [answered, setAnswered] = useState<{ key: string; answer: Answer<ActionPreview> } | null>(null);
  const key = values === null ? '' : JSON.stringify(values);
  useEffect(() => {
    if (key === '') return undefined;
    let current = true;
    const timer = setTimeout(() => {
      void gateway
        .send<ActionPreview>('POST', addressOf(previewPath(action), tenantId), JSON.parse(key))
        .then((answer) => {
          if (current) setAnswered({ key, answer });
        });
    }, typingPauseMs);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [gateway, action, tenantId, key, seen, turn]);
  return { answer: answered?.key === key ? answered.answer : null, again: () => setTurn(turn + 1) };
}

function Sentences({ title, sentences }: { title: string; sentences: readonly string[] }) {
  return (
    <>
      <strong>{title}</strong>
      <ul>
        {sentences.map((each) => (
          <li key={each}>{each}</li>
        ))}
      </ul>
    </>
  );
}

function reasonsOf(action: OperationAction, answer: Answer<ActionPreview>): string[] {
  const refusal = answer.kind === 'answered' ? answer.body.refusal : problemOf(answer);
  if (!refusal) return [];
  return [problemText(refusal), ...refusedFields(action, refusal.errors)];
}

/**
 * `seen` changes when the workspace was read again; then the preview is requested again. `shown` is called with the
 * digest of the displayed preview, and with null while none is displayed.
 */
export function Preview({
  action,
  tenantId,
  values,
  seen,
  shown,
}: {
  action: OperationAction;
  tenantId: string;
  values: Readonly<Record<string, unknown>> | null;
  seen: unknown;
  shown: (previewDigest: string | null) => void;
}) {
  const { answer, again } = usePreview(action, tenantId, values, seen);
  const digest = answer?.kind === 'answered' ? answer.body.previewDigest : null;
  // A frame later the form could send new values with the preview of those before.
  useLayoutEffect(() => shown(digest), [digest]);
  const reasons = answer ? reasonsOf(action, answer) : [];
  const box = useRef<HTMLDivElement>(null);
  const askAgain = () => {
    // The pressed button goes with the answer.
    box.current?.focus();
    again();
  };
  return (
    <div class="preview" aria-live="polite" ref={box} tabIndex={-1}>
      {!answer && (
        <p class="quiet">
          {values === null ? 'What it will do is shown here when the form is complete.' : 'Asking the gateway …'}
        </p>
      )}
      {answer?.kind === 'answered' && <Sentences title="What it will do" sentences={answer.body.consequences} />}
      {answer && reasons.length > 0 && (
        <Sentences
          title={answer.kind === 'answered' ? 'It would be refused now' : 'The gateway gives no preview'}
          sentences={reasons}
        />
      )}
      {answer && answer.kind !== 'answered' && (
        <button type="button" onClick={askAgain}>
          Ask for the preview again
        </button>
      )}
    </div>
  );
}
