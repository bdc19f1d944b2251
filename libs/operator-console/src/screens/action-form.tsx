/**
 * The form of one action: fields, preview of consequences, confirmation, outcome. The operation's id is created once
 * when the form opens; it is shown, kept for every repeat, and changed only at the operator's request.
 */
import type { OperationView, PlanView } from '@platform/contracts-operator';
import { useState } from 'preact/hooks';
import { actionPath, contractOf, type OperationAction } from '@platform/contracts-operator/actions';
import { addressOf, confirmationsOf, valuesOf, type Entered } from '../action-values';
import { leavesOutcomeOpen, ofOperation, type Answer } from '@platform/design-parts/requests';
import { newOperationId } from '../gateway';
import { Copy, Id, useFocusWhenShown, useUnderWay } from '@platform/design-parts';
import { useSession } from '../session';
import { Field, Fields } from './action-fields';
import { Outcome } from './action-outcome';
import { Preview } from './action-preview';
import type { AdminState } from './types';

function Confirmation({ tenantId, typed, type }: { tenantId: string; typed: string; type: (typed: string) => void }) {
  return (
    <Field label={`Type ${tenantId} to confirm`} name="typed">
      <input
        id="field-typed"
        required
        autocomplete="off"
        spellcheck={false}
        value={typed}
        onInput={(event) => type(event.currentTarget.value)}
      />
    </Field>
  );
}

/** One operation from its id to its answer. */
function useAsking(action: OperationAction, tenantId: string, acted: () => void) {
  const { gateway } = useSession();
  const [operationId] = useState(() =>
    newOperationId(action, new Date(), () => crypto.getRandomValues(new Uint32Array(1))[0]! / 2 ** 32),
  );
  const [sending, setSending] = useState(false);
  const [answer, setAnswer] = useState<Answer<OperationView> | null>(null);
  useUnderWay(sending || (answer !== null && leavesOutcomeOpen(answer)));
  const ask = async (values: Readonly<Record<string, unknown>>) => {
    setSending(true);
    const answer = await gateway.send<OperationView>(
      contractOf(action).method,
      addressOf(actionPath(action), tenantId),
      { operationId, ...values },
    );
    setSending(false);
    // The session had ended: nothing was done, and the form sends the same request after signing in.
    if (answer.kind === 'refused' && answer.status === 401) return;
    setAnswer(ofOperation(answer, operationId));
    acted();
  };
  return { operationId, sending, answer, ask };
}

export function Form({
  action,
  state,
  plans,
  close,
  acted,
}: {
  action: OperationAction;
  state: AdminState;
  plans: readonly PlanView[];
  close: () => void;
  acted: () => void;
}) {
  const { operationId, sending, answer, ask } = useAsking(action, state.tenantId, acted);
  const heading = useFocusWhenShown<HTMLHeadingElement>();
  const { form } = contractOf(action);
  const [entered, setEntered] = useState<Entered>({});
  const [typed, setTyped] = useState('');
  // The request names the preview that was shown, and is refused when that preview no longer holds.
  const [previewDigest, setPreviewDigest] = useState<string | null>(null);
  const currency = plans.find(({ planId }) => planId === state.planId)?.currency;
  const values = valuesOf(action, { ...entered, ...confirmationsOf(action, state.tenantId) }, currency);
  const confirmed = form.confirm === 'click' || typed === state.tenantId;
  const submit = async (event: Event) => {
    event.preventDefault();
    if (values && previewDigest !== null && confirmed && !sending) await ask({ ...values, previewDigest });
  };
  if (answer)
    return (
      <Outcome {...{ action, tenantId: state.tenantId, operationId, answer, values: values ?? {}, close, acted }} />
    );
  return (
    <form class="action" onSubmit={(event) => void submit(event)} aria-label={form.title}>
      <h3 ref={heading} tabIndex={-1}>
        {form.title}
      </h3>
      <p class="operation-id">
        Operation id <Id>{operationId}</Id> <Copy text={operationId} />
      </p>
      <Fields
        action={action}
        entered={entered}
        set={(name, text) => setEntered({ ...entered, [name]: text })}
        plans={plans}
        currency={currency}
      />
      <Preview action={action} tenantId={state.tenantId} values={values} seen={state} shown={setPreviewDigest} />
      {form.confirm === 'typed' && <Confirmation tenantId={state.tenantId} typed={typed} type={setTyped} />}
      <div class="buttons">
        <button type="submit" class="primary" disabled={!values || previewDigest === null || !confirmed || sending}>
          {sending ? 'Asking …' : form.title}
        </button>
        <button type="button" onClick={close} disabled={sending}>
          Cancel
        </button>
      </div>
    </form>
  );
}
