/** What an action asks for: its fields as they are typed, and the values that leave with it. */
import type { PlanView } from '@platform/contracts-operator';
import type { ActionName } from '../consequences';
import { formatMoney } from '../money';

export interface ActionForm {
  readonly name: ActionName;
  readonly title: string;
  readonly segment: string;
  readonly fields: readonly ('plan' | 'amount' | 'reason' | 'until')[];
  /** Typed before it is asked for. */
  readonly confirms?: boolean;
}

export interface Entered {
  plan: string;
  amount: string;
  reason: string;
  until: string;
  typed: string;
}

export const nothing: Entered = { plan: '', amount: '', reason: '', until: '', typed: '' };

export function Field({
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

function PlanField({
  plans,
  chosen,
  choose,
}: {
  plans: readonly PlanView[];
  chosen: string;
  choose: (planId: string) => void;
}) {
  return (
    <Field label="Plan" name="plan">
      <select id="field-plan" required value={chosen} onChange={(event) => choose(event.currentTarget.value)}>
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
  );
}

export function Fields({
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
        <PlanField plans={plans} chosen={entered.plan} choose={(planId) => set('plan', planId)} />
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

export function isWhole(form: ActionForm, entered: Entered, amountCents: number | null): boolean {
  return (
    (!form.fields.includes('plan') || entered.plan !== '') &&
    (!form.fields.includes('amount') || (amountCents !== null && entered.reason.trim() !== ''))
  );
}

export function valuesOf(form: ActionForm, entered: Entered, amountCents: number | null): Record<string, unknown> {
  return {
    ...(form.fields.includes('plan') && { planId: entered.plan }),
    ...(form.fields.includes('amount') && { amountCents, reason: entered.reason }),
    ...(form.fields.includes('until') && entered.until && { freeUntil: `${entered.until}T00:00:00Z` }),
  };
}
