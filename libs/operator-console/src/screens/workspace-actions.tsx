/** The actions of a platform owner on one workspace, one form at a time. */
import { useState } from 'preact/hooks';
import { actionsStartedBy, contractOf, type OperationAction } from '@platform/contracts-operator/actions';
import { useRead } from '../session';
import { Form } from './action-form';
import type { AdminState, PlansPage } from './types';

const offered = actionsStartedBy('platform_owner');

export function Actions({ state, acted }: { state: AdminState; acted: () => void }) {
  const plans = useRead<PlansPage>('/api/saas/plans');
  const [open, setOpen] = useState<OperationAction | null>(null);
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
        <div class="buttons">
          {offered.map((action) => (
            <button key={action} type="button" onClick={() => setOpen(action)}>
              {contractOf(action).form.title} …
            </button>
          ))}
        </div>
      )}
    </section>
  );
}
