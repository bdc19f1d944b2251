/** The actions of a platform owner on one workspace, one form at a time. */
import { useState } from 'preact/hooks';
import { useRead } from '../session';
import type { ActionForm } from './action-fields';
import { Form } from './action-form';
import type { AdminState, PlansPage } from './types';

const forms: readonly ActionForm[] = [
  { name: 'suspend', title: 'Suspend', segment: 'suspend', fields: [], confirms: true },
  { name: 'reactivate', title: 'Reactivate', segment: 'reactivate', fields: [] },
  { name: 'upgrade_plan', title: 'Upgrade plan', segment: 'upgrade', fields: ['plan'] },
  { name: 'credit_customer', title: 'Credit balance', segment: 'balance-credit', fields: ['amount', 'reason'] },
  { name: 'grant_free_access', title: 'Grant free access', segment: 'grant-free-access', fields: ['plan', 'until'] },
];

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
