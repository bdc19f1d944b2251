/**
 * Creates a workspace for the person who asks. A creation is not idempotent: when no answer comes, the page says where the
 * attempt is read, and offers nothing that would ask a second time.
 */
import type { PlanView } from '@platform/contracts-operator';
import { formatMoney } from '@platform/contracts-operator/actions';
import { useState } from 'preact/hooks';
import { Head } from '@platform/design-parts';
import { problemText } from '@platform/design-parts/requests';
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
  'No answer came: the workspace may be under way, and its first month may be charged. Do not ask again. Look for it under Provisioning and among the workspaces.';

function Outcome({ said: { tone, text, created }, again }: { said: Said; again: (() => void) | null }) {
  return (
    <div class={`outcome outcome-${tone}`} role={tone === 'done' ? 'status' : 'alert'}>
      <h3>
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

function Fields({ plans }: { plans: readonly PlanView[] }) {
  const text = (name: string, label: string, note?: string, more: object = {}) => (
    <Field label={label} name={name} {...(note !== undefined && { note })}>
      <input id={`field-${name}`} name={name} required autocomplete="off" spellcheck={false} {...more} />
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
              <option key={plan.planId} value={plan.planId}>
                {plan.name}, {formatMoney(plan)} a month
              </option>
            ))}
        </select>
      </Field>
      {text('paymentMethodId', 'Payment method at the provider', 'pm_…, as the payment page made it.')}
      {text('billingName', 'Name on the invoices')}
      {text('country', 'Country', 'Two capital letters, as GB.', { maxLength: 2 })}
    </>
  );
}

function CreateForm() {
  const { gateway, who } = useSession();
  const plans = useRead<PlansPage>('/api/saas/plans');
  const [said, setSaid] = useState<Said | null>(null);
  const [sending, setSending] = useState(false);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const of = (name: string) => String(form.get(name) ?? '').trim();
    const [workspaceName, planId, paymentMethodId] = [of('workspaceName'), of('planId'), of('paymentMethodId')];
    const billingProfile = { name: of('billingName'), country: of('country') };
    setSending(true);
    const answer = await gateway.send<Created>('POST', '/api/saas/workspaces', {
      ...{ workspaceName, planId, paymentMethodId, billingProfile },
    });
    setSending(false);
    const problem = problemOf(answer);
    if (answer.kind === 'no_answer') setSaid({ tone: 'unknown', text: unanswered });
    else if (problem)
      setSaid({
        tone: 'refused',
        text: [problemText(problem), ...(problem.errors ?? []).map((each) => `${each.pointer} ${each.message}`)].join(
          ' ',
        ),
      });
    else if (answer.kind === 'answered') {
      const done = answer.body.status === 'committed';
      setSaid({
        tone: 'done',
        text: done ? 'The workspace is created.' : 'It goes on by itself; do not ask again.',
        created: answer.body,
      });
    }
  };
  return (
    <>
      {said ? (
        <Outcome said={said} again={said.tone === 'refused' ? () => setSaid(null) : null} />
      ) : (
        <form class="action" aria-label="Create a workspace" onSubmit={(event) => void submit(event)}>
          <Fields plans={plans.data?.plans ?? []} />
          <div class="preview">
            <ul>
              <li>Creates the customer and the subscription at the provider; a paid plan is charged at once.</li>
              <li>Makes {who} the owner of the workspace.</li>
              <li>
                A request is not recognised a second time: it is sent once, and its attempt is read under Provisioning.
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
      )}
    </>
  );
}

export function CreateScreen() {
  return (
    <section>
      <Head title="Create a workspace" note="It is asked for once; what becomes of it is read under Provisioning." />
      <CreateForm />
    </section>
  );
}
