/**
 * The actions that the person may start on one workspace, one form at a time; actions that cannot succeed now say why.
 */
import { ProblemBox, useFocusWhenClosed } from '@platform/design-parts';
import { useState } from 'preact/hooks';
import { actionsStartedBy, contractOf, mayStart, type OperationAction } from '@platform/contracts-operator/actions';
import { useRead, useSession } from '../session';
import { Form } from './action-form';
import type { WorkspaceDetail } from '@platform/contracts-operator';
import type { AdminState, PlansPage } from './types';

const ofThePlatform: readonly OperationAction[] = actionsStartedBy('platform_owner');

/** In the order of the contract; `judged` says of each whether it can succeed. */
export function Actions({
  state,
  judged,
  acted,
}: {
  state: AdminState;
  judged: WorkspaceDetail['actions'];
  acted: () => void;
}) {
  const plans = useRead<PlansPage>('/api/saas/plans');
  const [open, setOpen] = useState<OperationAction | null>(null);
  const heading = useFocusWhenClosed<HTMLHeadingElement>(open !== null);
  const { role } = useSession();
  const offered = ofThePlatform.filter((action) => mayStart(role, contractOf(action)));
  const refused = judged.filter(({ action, refusal }) => refusal !== undefined && offered.includes(action));
  const possible = offered.filter((action) => !refused.some((each) => each.action === action));
  return (
    <section class="actions" aria-labelledby="actions">
      <h2 id="actions" ref={heading} tabIndex={-1}>
        Actions
      </h2>
      {offered.length === 0 && <p class="quiet">Your role ({role.replaceAll('_', ' ')}) starts no action.</p>}
      {plans.problem && <ProblemBox problem={plans.problem} again={plans.again} />}
      {open ? (
        <Form
          key={open}
          action={open}
          state={state}
          plans={plans.data?.plans ?? []}
          close={() => setOpen(null)}
          acted={acted}
        />
      ) : (
        <>
          <div class="buttons">
            {possible.map((action) => (
              <button key={action} type="button" onClick={() => setOpen(action)}>
                {contractOf(action).form.title} …
              </button>
            ))}
          </div>
          {refused.map(({ action, refusal }) => (
            <p key={action} class="why quiet">
              <b>{contractOf(action).form.title}:</b> not now. {refusal!.message}
            </p>
          ))}
        </>
      )}
    </section>
  );
}
