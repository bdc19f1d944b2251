/** The actions of a platform owner on one workspace, one form at a time. */
import { useState } from 'preact/hooks';
import type { ActionName } from '../consequences';
import { useRead } from '../session';
import type { ActionForm } from './action-fields';
import { Form } from './action-form';
import type { AdminState, PlansPage } from './types';

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
