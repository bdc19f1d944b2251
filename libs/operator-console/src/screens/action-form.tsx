/**
 * The form of one action: fields, preview of consequences, confirmation, outcome. The operation's id is made once when
 * the form opens; it is shown, kept for every repeat, and never changed behind the operator's back.
 */
import type { OperationView, PlanView } from '@platform/contracts-operator';
import { useState } from 'preact/hooks';
import { previewOf } from '../consequences';
import { newOperationId, type Answer } from '../gateway';
import { parseMoney } from '../money';
import { Copy, Id } from '../parts';
import { useSession } from '../session';
import { Field, Fields, isWhole, nothing, valuesOf, type ActionForm } from './action-fields';
import { Outcome } from './action-outcome';
import type { AdminState } from './types';

function Preview({ preview }: { preview: ReturnType<typeof previewOf> }) {
  return (
    <div class="preview" aria-live="polite">
      <strong>What it will do</strong>
      <ul>
        {preview.does.map((each) => (
          <li key={each}>{each}</li>
        ))}
      </ul>
      {preview.refused.length > 0 && (
        <>
          <strong>As things stand, it would be refused</strong>
          <ul>
            {preview.refused.map((each) => (
              <li key={each}>{each}</li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

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
function useAsking(form: ActionForm, tenantId: string, acted: () => void) {
  const { gateway } = useSession();
  const [operationId] = useState(() =>
    newOperationId(form.name, new Date(), () => crypto.getRandomValues(new Uint32Array(1))[0]! / 2 ** 32),
  );
  const [asking, setAsking] = useState(false);
  const [answer, setAnswer] = useState<Answer<OperationView> | null>(null);
  const ask = async (values: Readonly<Record<string, unknown>>) => {
    setAsking(true);
    const asked = await gateway.send<OperationView>(
      'POST',
      `/api/saas/workspaces/${encodeURIComponent(tenantId)}/${form.segment}`,
      { operationId, ...values },
    );
    setAsking(false);
    setAnswer(asked);
    acted();
  };
  return { operationId, asking, answer, ask };
}

export function Form({
  form,
  state,
  plans,
  close,
  acted,
}: {
  form: ActionForm;
  state: AdminState;
  plans: readonly PlanView[];
  close: () => void;
  acted: () => void;
}) {
  const { operationId, asking, answer, ask } = useAsking(form, state.tenantId, acted);
  const [entered, setEntered] = useState(nothing);
  const currency = plans.find(({ planId }) => planId === state.planId)?.currency ?? 'usd';
  const amountCents = form.fields.includes('amount') ? parseMoney(entered.amount, currency) : null;
  const preview = previewOf(form.name, state, plans, { planId: entered.plan, amountCents, freeUntil: entered.until });
  const whole = isWhole(form, entered, amountCents);
  const confirmed = !form.confirms || entered.typed === state.tenantId;
  const submit = async (event: Event) => {
    event.preventDefault();
    if (whole && confirmed && !asking) await ask(valuesOf(form, entered, amountCents));
  };
  if (answer)
    return (
      <Outcome title={form.title} tenantId={state.tenantId} operationId={operationId} answer={answer} close={close} />
    );
  return (
    <form class="action" onSubmit={(event) => void submit(event)} aria-label={form.title}>
      <h3>{form.title}</h3>
      <p class="operation-id">
        Operation id <Id>{operationId}</Id> <Copy text={operationId} />
      </p>
      <Fields
        form={form}
        entered={entered}
        set={(name, value) => setEntered({ ...entered, [name]: value })}
        plans={plans}
        currency={currency}
      />
      <Preview preview={preview} />
      {form.confirms && (
        <Confirmation
          tenantId={state.tenantId}
          typed={entered.typed}
          type={(typed) => setEntered({ ...entered, typed })}
        />
      )}
      <div class="buttons">
        <button type="submit" class="primary" disabled={!whole || !confirmed || asking}>
          {asking ? 'Asking …' : form.title}
        </button>
        <button type="button" onClick={close} disabled={asking}>
          Cancel
        </button>
      </div>
    </form>
  );
}
