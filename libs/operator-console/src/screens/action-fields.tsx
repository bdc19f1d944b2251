/** The fields of an action's form: a control for each kind of value that a definition may name. */
import type { PlanView } from '@platform/contracts-operator';
import {
  contractOf,
  formatPrice,
  operatorLimits,
  type ActionField,
  type OperationAction,
} from '@platform/contracts-operator/actions';
import type { JSX } from 'preact';
import type { Entered } from '../action-values';
import { amountNote } from '../money';

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

interface ControlProps<Kind extends ActionField['kind'] = ActionField['kind']> {
  readonly id: string;
  readonly field: ActionField & { readonly kind: Kind };
  readonly text: string;
  readonly enter: (text: string) => void;
  readonly plans: readonly PlanView[];
}

function Choice({ id, field, text, enter, plans }: ControlProps<'plan'>) {
  return (
    <select id={id} required={!field.optional} value={text} onChange={(event) => enter(event.currentTarget.value)}>
      <option value="">Choose …</option>
      {plans
        .filter(({ offered }) => offered)
        .map((plan) => (
          <option key={plan.planId} value={plan.planId}>
            {plan.name}, {formatPrice(plan)}
          </option>
        ))}
    </select>
  );
}

/** The attributes of every typed control. */
function typed({ id, field, text, enter }: ControlProps) {
  return {
    id,
    required: !field.optional,
    autocomplete: 'off',
    value: text,
    onInput: (event: { readonly currentTarget: HTMLInputElement }) => enter(event.currentTarget.value),
  } as const;
}

/** A confirmation has no control: people type the workspace's id before the form sends. */
type ControlledKind = Exclude<ActionField['kind'], 'confirmation'>;

/** By kind; a kind without a control does not compile. */
const controls: { readonly [Kind in ControlledKind]: (props: ControlProps<Kind>) => JSX.Element } = {
  plan: Choice,
  amount: (props) => <input {...typed(props)} inputMode="decimal" />,
  text: (props) => <input {...typed(props)} maxLength={props.field.maxCharacters} />,
  instant: (props) => <input {...typed(props)} type="date" />,
  address: (props) => <input {...typed(props)} type="url" />,
};

function labelOf({ label, kind, optional }: ActionField, currency: string | undefined): string {
  const unit = kind !== 'amount' ? '' : currency ? ` in ${currency.toUpperCase()}` : ' (its currency is not known yet)';
  const notes = [...(kind === 'instant' ? ['UTC'] : []), ...(optional ? ['optional'] : [])];
  return `${label}${unit}${notes.length > 0 ? ` (${notes.join(', ')})` : ''}`;
}

export function Fields({
  action,
  entered,
  set,
  plans,
  currency,
}: {
  action: OperationAction;
  entered: Entered;
  set: (name: string, text: string) => void;
  plans: readonly PlanView[];
  currency: string | undefined;
}) {
  return (
    <>
      {Object.entries(contractOf(action).values).map(([name, field]) => {
        if (field.kind === 'confirmation') return null;
        const Control = controls[field.kind] as (props: ControlProps) => JSX.Element;
        const short = name.replace(/(Id|Cents)$/, '');
        const note = field.kind === 'amount' && currency ? amountNote(entered[name] ?? '', currency) : undefined;
        return (
          <Field key={name} label={labelOf(field, currency)} name={short} {...(note !== undefined && { note })}>
            <Control
              id={`field-${short}`}
              field={field}
              text={entered[name] ?? ''}
              enter={(text) => set(name, text)}
              plans={plans}
            />
          </Field>
        );
      })}
      {!('reason' in contractOf(action).values) && (
        <Field label="Reason (optional)" name="reason">
          <input
            id="field-reason"
            autocomplete="off"
            maxLength={operatorLimits.reasonCharacters}
            value={entered['reason'] ?? ''}
            onInput={(event) => set('reason', event.currentTarget.value)}
          />
        </Field>
      )}
    </>
  );
}
