/**
 * The actions of a platform owner: form, preview of consequences, confirmation, outcome. The operation's id is made once
 * when the form opens; it is shown, kept for every repeat, and never changed behind the operator's back.
 */
import { useState } from 'preact/hooks';
import type { OperationView, PlanView } from '@platform/contracts-operator';
import { previewOf, type ActionName } from '../consequences';
import { newOperationId, type Answer } from '../gateway';
import { formatMoney, parseMoney } from '../money';
import { Copy, Id } from '../parts';
import { useRead, useSession } from '../session';
import { Outcome } from './action-outcome';
import type { AdminState, PlansPage } from './types';

interface ActionForm {
  readonly name: ActionName;
  readonly title: string;
  readonly segment: string;
  readonly fields: readonly ('plan' | 'amount' | 'reason' | 'until')[];
  /** Typed before it is asked for. */
  readonly confirms?: boolean;
}

/** By name, so that an action without a form does not compile. */
const formOf: { readonly [Name in ActionName]: ActionForm & { readonly name: Name } } = {
  suspend: { name: 'suspend', title: 'Suspend', segment: 'suspend', fields: [], confirms: true },
  reactivate: { name: 'reactivate', title: 'Reactivate', segment: 'reactivate', fields: [] },
  upgrade_plan: { name: 'upgrade_plan', title: 'Upgrade plan', segment: 'upgrade', fields: ['plan'] },
  credit_customer: {
    name: 'credit_customer',
    title: 'Credit balance',
    segment: 'balance-credit',
    fields: ['amount', 'reason'],
  },
  grant_free_access: {
    name: 'grant_free_access',
    title: 'Grant free access',
    segment: 'grant-free-access',
    fields: ['plan', 'until'],
  },
};
const forms: readonly ActionForm[] = Object.values(formOf);

interface Entered {
  plan: string;
  amount: string;
  reason: string;
  until: string;
  typed: string;
}

const nothing: Entered = { plan: '', amount: '', reason: '', until: '', typed: '' };

function Field({
  label,
  name,
  children,
  note,
}: {
  label: string;
  name: string;
  children: preact.ComponentChildren;
  note?: string;
}) {
  return (
    <div class="field">
      <label for={`field-${name}`}>{label}</label>
      {children}
      {note && <span class="note">{note}</span>}
    </div>
  );
}

function Fields({
  form,
  entered,
  set,
  plans,
  currency,
}: {
  form: ActionForm;
  entered: Entered;
  set: (name: keyof Entered, value: string) => void;
  plans: readonly PlanView[];
  currency: string;
}) {
  return (
    <>
      {form.fields.includes('plan') && (
        <Field label="Plan" name="plan">
          <select
            id="field-plan"
            required
            value={entered.plan}
            onChange={(event) => set('plan', event.currentTarget.value)}
          >
            <option value="">Choose …</option>
            {plans
              .filter(({ offered }) => offered)
              .map((plan) => (
                <option key={plan.planId} value={plan.planId}>
                  {plan.name}, {formatMoney(plan)} a month
                </option>
              ))}
          </select>
        </Field>
      )}
      {form.fields.includes('amount') && (
        <Field label={`Amount in ${currency.toUpperCase()}`} name="amount">
          <input
            id="field-amount"
            inputMode="decimal"
            required
            autocomplete="off"
            value={entered.amount}
            onInput={(event) => set('amount', event.currentTarget.value)}
          />
        </Field>
      )}
      {form.fields.includes('reason') && (
        <Field label="Reason" name="reason">
          <input
            id="field-reason"
            required
            maxLength={500}
            autocomplete="off"
            value={entered.reason}
            onInput={(event) => set('reason', event.currentTarget.value)}
          />
        </Field>
      )}
      {form.fields.includes('until') && (
        <Field label="Free until (UTC, optional)" name="until">
          <input
            id="field-until"
            type="date"
            value={entered.until}
            onInput={(event) => set('until', event.currentTarget.value)}
          />
        </Field>
      )}
    </>
  );
}

function valuesOf(form: ActionForm, entered: Entered, amountCents: number | null): Record<string, unknown> {
  return {
    ...(form.fields.includes('plan') && { planId: entered.plan }),
    ...(form.fields.includes('amount') && { amountCents, reason: entered.reason }),
    ...(form.fields.includes('until') && entered.until && { freeUntil: `${entered.until}T00:00:00Z` }),
  };
}

function Form({
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
  const { gateway } = useSession();
  const [operationId] = useState(() =>
    newOperationId(form.name, new Date(), () => crypto.getRandomValues(new Uint32Array(1))[0]! / 2 ** 32),
  );
  const [entered, setEntered] = useState(nothing);
  const [asking, setAsking] = useState(false);
  const [answer, setAnswer] = useState<Answer<OperationView> | null>(null);
  const currency = plans.find(({ planId }) => planId === state.planId)?.currency ?? 'usd';
  const amountCents = form.fields.includes('amount') ? parseMoney(entered.amount, currency) : null;
  const preview = previewOf(form.name, state, plans, { planId: entered.plan, amountCents, freeUntil: entered.until });
  const whole =
    (!form.fields.includes('plan') || entered.plan !== '') &&
    (!form.fields.includes('amount') || (amountCents !== null && entered.reason.trim() !== ''));
  const confirmed = !form.confirms || entered.typed === state.tenantId;
  const submit = async (event: Event) => {
    event.preventDefault();
    if (!whole || !confirmed || asking) return;
    setAsking(true);
    const asked = await gateway.send<OperationView>(
      'POST',
      `/api/saas/workspaces/${encodeURIComponent(state.tenantId)}/${form.segment}`,
      { operationId, ...valuesOf(form, entered, amountCents) },
    );
    setAsking(false);
    setAnswer(asked);
    acted();
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
      {form.confirms && (
        <Field label={`Type ${state.tenantId} to confirm`} name="typed">
          <input
            id="field-typed"
            required
            autocomplete="off"
            spellcheck={false}
            value={entered.typed}
            onInput={(event) => setEntered({ ...entered, typed: event.currentTarget.value })}
          />
        </Field>
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

export function Actions({ state, acted }: { state: AdminState; acted: () => void }) {
  const plans = useRead<PlansPage>('/api/saas/plans');
  const [open, setOpen] = useState<ActionForm | null>(null);
  return (
    <section class="actions" aria-labelledby="actions">
      <h2 id="actions">Actions</h2>
      {open ? (
        <Form
          key={open.name}
          form={open}
          state={state}
          plans={plans.data?.plans ?? []}
          close={() => setOpen(null)}
          acted={acted}
        />
      ) : (
        <div class="buttons">
          {forms.map((form) => (
            <button key={form.name} type="button" onClick={() => setOpen(form)}>
              {form.title} …
            </button>
          ))}
        </div>
      )}
    </section>
  );
}
