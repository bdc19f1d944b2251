/** The actions of a platform owner on one workspace, one form at a time; those that cannot succeed now say why. */
import { useState } from 'preact/hooks';
import { actionsStartedBy, contractOf, type OperationAction } from '@platform/contracts-operator/actions';
import { useRead } from '../session';
import { Form } from './action-form';
import type { WorkspaceDetail } from '@platform/contracts-operator';
import type { AdminState, PlansPage } from './types';

const offered = actionsStartedBy('platform_owner');

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
  const refused = judged.filter(({ refusal }) => refusal !== undefined);
  const possible = offered.filter((action) => !refused.some((each) => each.action === action));
  return (
    <section class="actions" aria-labelledby="actions">
      <h2 id="actions">Actions</h2>
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
