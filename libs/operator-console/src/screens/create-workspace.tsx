/**
 * Creates a workspace for the person who requests it. A creation is not idempotent: when no answer comes, the page says
 * where to read the attempt, and offers nothing that would send a second request.
 */
import type { PlanView } from '@platform/contracts-operator';
import { formatPrice } from '@platform/contracts-operator/actions';
import { useState } from 'preact/hooks';
import { Head, useFocusWhenClosed, useFocusWhenShown, useUnderWay } from '@platform/design-parts';
import { leavesOutcomeOpen, refusalText, type Answer } from '@platform/design-parts/requests';
import { linkTo, linkToCase } from '../address';
import { problemOf, useRead, useSession } from '../session';
import { Field } from './action-fields';
import type { PlansPage } from './types';

interface Created {
  readonly tenantId: string;
  readonly status?: 'committed';
  readonly confirmUrl?: string;
}

type Said = { readonly tone: 'done' | 'refused' | 'unknown'; readonly text: string; readonly created?: Created };

const unanswered =
  'No certain answer came: the workspace may be under way, and its first month may be charged. Do not ask again. Look for it under Provisioning and among the workspaces.';

function Outcome({ said: { tone, text, created }, again }: { said: Said; again: (() => void) | null }) {
  const heading = useFocusWhenShown<HTMLHeadingElement>();
  return (
    <div class={`outcome outcome-${tone}`} role={tone === 'done' ? 'status' : 'alert'}>
      <h3 ref={heading} tabIndex={-1}>
        {tone === 'done' ? 'Accepted' : tone === 'refused' ? 'Refused' : 'The outcome is not known. Stop retrying.'}
      </h3>
      <p>{text}</p>
      {created && (
        <p>
          <a
            href={
              created.status === 'committed'
                ? linkTo(['workspaces', created.tenantId])
                : linkToCase('provisioning_attempt', created.tenantId)
            }
          >
            {created.tenantId}
          </a>
          {created.confirmUrl !== undefined && (
            <>
              {' '}
              The holder of the card has to confirm the payment:{' '}
              <a href={created.confirmUrl} target="_blank" rel="noreferrer">
                {created.confirmUrl}
              </a>
            </>
          )}
        </p>
      )}
      <div class="buttons">
        {again && (
          <button type="button" onClick={again}>
            Change the values
          </button>
        )}
        <a class="button" href={linkTo(['provisioning'])}>
          Provisioning
        </a>
      </div>
    </div>
  );
}

/** `before`: the values that were refused, to be changed. */
function Fields({ plans, before }: { plans: readonly PlanView[]; before: FormData | null }) {
  const given = (name: string) => String(before?.get(name) ?? '');
  const text = (name: string, label: string, note?: string, more: object = {}) => (
    <Field label={label} name={name} {...(note !== undefined && { note })}>
      <input
        id={`field-${name}`}
        name={name}
        required
        autocomplete="off"
        spellcheck={false}
        defaultValue={given(name)}
        {...more}
      />
    </Field>
  );
  return (
    <>
      {text('workspaceName', 'Name of the workspace')}
      <Field label="Plan" name="planId">
        <select id="field-planId" name="planId" required>
          <option value="">Choose …</option>
          {plans
            .filter(({ offered }) => offered)
            .map((plan) => (
              <option key={plan.planId} value={plan.planId} selected={plan.planId === given('planId')}>
                {plan.name}, {formatPrice(plan)}
              </option>
            ))}
        </select>
      </Field>
      {text('paymentMethodId', 'Payment method at the provider', 'pm_…, as the payment page made it.')}
      {text('billingName', 'Name on the invoices')}
      {text('country', 'Country', 'Two capital letters, for example GB.', { maxLength: 2 })}
    </>
  );
}

/** Sends the request once and shows the outcome; only after a refusal can it be sent again. */
function useCreation() {
  const { gateway } = useSession();
  const [said, setSaid] = useState<Said | null>(null);
  const [sending, setSending] = useState(false);
  const [before, setBefore] = useState<FormData | null>(null);
  useUnderWay(sending);
  const create = async (form: FormData) => {
    setBefore(form);
    const of = (name: string) => String(form.get(name) ?? '').trim();
    setSending(true);
    const answer = await gateway.send<Created>('POST', '/api/saas/workspaces', {
      ...{ workspaceName: of('workspaceName'), planId: of('planId'), paymentMethodId: of('paymentMethodId') },
      billingProfile: { name: of('billingName'), country: of('country') },
    });
    setSending(false);
    setSaid(saidOf(answer));
  };
  return { said, sending, before, create, again: () => setSaid(null) };
}

function saidOf(answer: Answer<Created>): Said {
  const problem = problemOf(answer);
  if (answer.kind === 'no_answer' || leavesOutcomeOpen(answer)) return { tone: 'unknown', text: unanswered };
  if (answer.kind === 'refused' || problem) return { tone: 'refused', text: problem ? refusalText(problem) : '' };
  const done = answer.body.status === 'committed';
  const text = done ? 'The workspace is created.' : 'It continues by itself; do not send it again.';
  return { tone: 'done', text, created: answer.body };
}

function CreateForm() {
  const { who } = useSession();
  const plans = useRead<PlansPage>('/api/saas/plans');
  const { said, sending, before, create, again } = useCreation();
  const shown = useFocusWhenClosed<HTMLFormElement>(said !== null);
  if (said) return <Outcome said={said} again={said.tone === 'refused' ? again : null} />;
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    void create(new FormData(event.currentTarget as HTMLFormElement));
  };
  return (
    <form class="action" aria-label="Create a workspace" onSubmit={submit} ref={shown} tabIndex={-1}>
      <Fields plans={plans.data?.plans ?? []} before={before} />
      <div class="preview">
        <ul>
          <li>Creates the customer and the subscription at the provider; a paid plan is charged at once.</li>
          <li>Makes {who} the owner of the workspace.</li>
          <li>
            A creation has no operation id, so a repeat would be a second request. It is sent once; follow its attempt
            under Provisioning.
          </li>
        </ul>
      </div>
      <div class="buttons">
        <button type="submit" class="primary" disabled={sending}>
          {sending ? 'Asking …' : 'Create the workspace'}
        </button>
        <a class="button" href={linkTo(['workspaces'])}>
          Cancel
        </a>
      </div>
    </form>
  );
}

export function CreateScreen() {
  return (
    <section>
      <Head title="Create a workspace" note="The request is sent once. Read its outcome under Provisioning." />
      <CreateForm />
    </section>
  );
}
