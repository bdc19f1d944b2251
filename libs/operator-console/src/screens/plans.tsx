/**
 * The plan catalogue: what each plan costs, whether it is on sale, and the forms that add a plan, rename it, and take it off
 * sale or put it back. What subscribers pay never changes: a new price is a new plan and a migration.
 */
import type { PlanView } from '@platform/contracts-operator';
import { formatMoney, formatPrice } from '@platform/contracts-operator/actions';
import { useState } from 'preact/hooks';
import { Empty, Head, Id, Instant, Shown, Table, useOneAtATime } from '@platform/design-parts';
import { leavesOutcomeOpen, refusalText } from '@platform/design-parts/requests';
import { linkTo } from '../address';
import { amountNote, parseMoney } from '../money';
import { Status } from '../parts';
import { problemOf, useRead, useSession } from '../session';
import { Field } from './action-fields';
import type { PlansPage } from './types';

interface Entered {
  readonly planId: string;
  readonly name: string;
  readonly amount: string;
  readonly currency: string;
  readonly priceId: string;
}

const nothing: Entered = { planId: '', name: '', amount: '', currency: 'usd', priceId: '' };

const notKnown = 'It is not known whether it was written. The list shows what is written now.';

/** Writes a plan in the state that the person has seen; `null`: there was none. */
function useWriting(done: () => void) {
  const { gateway } = useSession();
  const [message, setMessage] = useState('');
  const [failed, setFailed] = useState(false);
  const { run } = useOneAtATime();
  const send = async (planId: string, body: object, seen: PlanView | null) => {
    const answer = await gateway.send<PlanView>(
      'PUT',
      `/api/saas/plans/${encodeURIComponent(planId)}`,
      body,
      seen ? { 'if-match': `"${seen.revision}"` } : { 'if-none-match': '*' },
    );
    const problem = problemOf(answer);
    const open = leavesOutcomeOpen(answer);
    setMessage(open ? notKnown : problem ? refusalText(problem) : 'Written.');
    setFailed(problem !== null);
    // What another person has written meanwhile is shown as well.
    if (!problem || open || problem.code === 'precondition_failed') done();
    return problem === null;
  };
  const write = (...what: Parameters<typeof send>) => run(() => send(...what));
  return { said: { class: failed ? 'problem-text' : 'quiet', children: message }, write };
}

function NewPlan({ plans, done }: { plans: readonly PlanView[]; done: () => void }) {
  const [entered, setEntered] = useState(nothing);
  const { said, write } = useWriting(done);
  const enter = (name: keyof Entered) => (event: { readonly currentTarget: { readonly value: string } }) =>
    setEntered({ ...entered, [name]: event.currentTarget.value });
  const amountCents = /^0(\.0+)?$/.test(entered.amount.trim()) ? 0 : parseMoney(entered.amount, entered.currency);
  const wrong = amountCents === null ? amountNote(entered.amount, entered.currency) : undefined;
  const exists = plans.some(({ planId }) => planId === entered.planId);
  const submit = async (event: Event) => {
    event.preventDefault();
    const { planId, name, currency, priceId } = entered;
    if (amountCents === null || exists) return;
    const body = { name, amountCents, currency, offered: true, ...(priceId !== '' && { priceId }) };
    if (await write(planId, body, null)) setEntered(nothing);
  };
  const text = (name: keyof Entered, label: string, note?: string, required = true) => (
    <Field label={label} name={`plan-${name}`} {...(note !== undefined && { note })}>
      <input
        id={`field-plan-${name}`}
        required={required}
        autocomplete="off"
        spellcheck={false}
        value={entered[name]}
        onInput={enter(name)}
      />
    </Field>
  );
  return (
    <form class="action" aria-label="Add a plan" onSubmit={(event) => void submit(event)}>
      {text('planId', 'Plan id', 'Lower-case letters, digits, _ and -. It never changes.')}
      {text('name', 'Name')}
      {text(
        'amount',
        'Price',
        '0 for a free plan. How often it is paid, the price at the provider says. It never changes.',
      )}
      {text('currency', 'Currency', 'Three lower-case letters, for example usd.')}
      {text('priceId', 'Price at the provider', 'price_…; none for a free plan.', false)}
      {exists && <p class="problem-text">A plan with this id exists already.</p>}
      <div class="preview" aria-live="polite">
        {amountCents === null ? (
          <p class="quiet">{wrong ?? 'What it will do is shown here when the form is complete.'}</p>
        ) : (
          <p>
            Puts {entered.name || 'the plan'} on sale for {formatMoney({ amountCents, currency: entered.currency })}
            {amountCents > 0 && ', as often as the price at the provider is paid'}. It changes no workspace.
          </p>
        )}
      </div>
      <div class="buttons">
        <button type="submit" class="primary" disabled={amountCents === null || exists}>
          Add the plan
        </button>
        <span role="status" {...said} />
      </div>
    </form>
  );
}

function Row({ plan, done, mayWrite }: { plan: PlanView; done: () => void; mayWrite: boolean }) {
  const { said, write } = useWriting(done);
  const { planId, name, amountCents, currency, priceId, offered } = plan;
  const turn = () =>
    write(planId, { name, amountCents, currency, offered: !offered, ...(priceId !== undefined && { priceId }) }, plan);
  return (
    <tr>
      <td>
        <b>{name}</b> <Id>{planId}</Id>
      </td>
      <td class="number">{formatPrice(plan)}</td>
      <td>
        <Status status={offered ? 'offered' : 'off sale'} />
      </td>
      <td>{priceId === undefined ? '–' : <Id>{priceId}</Id>}</td>
      <td>
        <Instant at={plan.updatedAt} />
      </td>
      <td>
        <a href={linkTo(['workspaces'], { plan: planId })}>Workspaces</a>{' '}
        <a href={linkTo(['migrations'], { from: planId })}>Migrate</a>{' '}
        {mayWrite && (
          <button type="button" class="small" onClick={() => void turn()}>
            {offered ? 'Take off sale' : 'Put on sale'}
          </button>
        )}
        <span role="status" {...said} />
      </td>
    </tr>
  );
}

export function PlansScreen() {
  const reading = useRead<PlansPage>('/api/saas/plans');
  const { role } = useSession();
  const mayWrite = role === 'platform_owner';
  return (
    <section>
      <Head
        title="Plans"
        note="A plan that is off sale keeps its subscribers. A new price is a new plan, and a migration moves the workspaces."
      />
      <Shown reading={reading}>
        {({ plans }) => (
          <>
            {plans.length === 0 ? (
              <Empty title="There is no plan." />
            ) : (
              <Table head={['Plan', '#Price', 'Sale', 'Price at the provider', 'Written', 'Go to']} caption="Plans">
                {plans.map((plan) => (
                  <Row key={plan.planId} plan={plan} done={reading.again} mayWrite={mayWrite} />
                ))}
              </Table>
            )}
            {mayWrite && (
              <section aria-labelledby="new-plan">
                <h2 id="new-plan">Add a plan</h2>
                <NewPlan plans={plans} done={reading.again} />
              </section>
            )}
          </>
        )}
      </Shown>
    </section>
  );
}
