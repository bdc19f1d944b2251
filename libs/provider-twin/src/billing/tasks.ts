/**
 * What becomes due automatically, per kind of object: the next moment and what happens then. The moment is always
 * derived from the object, so a snapshot cannot lose a timer.
 */
import { clone } from '../clone';
import type { Invoice, Schedule, Session, Subscription, TableName } from '../tables';
import type { Twin } from '../twin';
import { cancelSubscription, expireIncomplete } from './cancellation';
import { expireSession } from './checkout';
import { collectDue, finaliseDue, overdue } from './dunning';
import { giveUpUpdate } from './given-up-updates';
import { renew, resumeCollection } from './renewal';
import { advanceSchedule, scheduleDue } from './schedules';
import { currentPeriod } from './items';
import { endTrial } from './trials';

export interface Task {
  at: number;
  name: string;
  /** Runs inside the transaction of its moment; returns the object that the ledger shows. */
  run(): object | undefined;
}

const incompleteLifeSeconds = 23 * 3600;
/** The end of a trial is announced three days before. */
const reminderSeconds = 3 * 86_400;

function subscriptionTasks(twin: Twin, subscription: Readonly<Subscription>): Task[] {
  const { id, status } = subscription;
  if (status === 'canceled' || status === 'incomplete_expired') return [];
  if (status === 'incomplete')
    return [
      {
        at: subscription.created + incompleteLifeSeconds,
        name: 'incomplete-expiry',
        run: () => void expireIncomplete(twin, id),
      },
    ];
  const tasks: Task[] = [];
  const period = currentPeriod(subscription);
  const cancelAt = subscription.cancel_at;
  if (cancelAt !== null)
    tasks.push({
      at: cancelAt,
      name: 'subscription-end',
      run: () => cancelSubscription(twin, id, { reason: 'cancellation_requested' }),
    });
  if (subscription.pending_update)
    tasks.push({
      at: subscription.pending_update.expires_at,
      name: 'pending-update-expiry',
      run: () => void giveUpUpdate(twin, id),
    });
  if (status === 'paused') return tasks;
  if (subscription.pause_collection?.resumes_at)
    tasks.push({
      at: subscription.pause_collection.resumes_at,
      name: 'collection-resume',
      run: () => resumeCollection(twin, id),
    });
  if (status === 'trialing' && subscription.trial_end !== null) {
    const reminder = { id: `${id}:${subscription.trial_end}` };
    if (!twin.state.get('reminder', reminder.id))
      tasks.push({
        at: Math.max(subscription.trial_end - reminderSeconds, subscription.trial_start ?? 0),
        name: 'trial-reminder',
        run: () => {
          twin.state.add('reminder', reminder);
          const announced = twin.state.edit('subscription', id);
          twin.emit('customer.subscription.trial_will_end', announced);
          return announced;
        },
      });
    tasks.push({
      at: subscription.trial_end,
      name: 'trial-end',
      run: () => {
        const before = clone(twin.state.get('subscription', id));
        const draft = twin.state.edit('subscription', id);
        endTrial(twin, draft);
        if (draft.status !== 'canceled') twin.emit('customer.subscription.updated', draft, before);
        return draft;
      },
    });
  } else tasks.push({ at: period.end, name: 'renewal', run: () => renew(twin, id) });
  return tasks;
}

function invoiceTasks(twin: Twin, invoice: Readonly<Invoice>): Task[] {
  if (invoice.status === 'draft' && invoice.auto_advance && invoice.automatically_finalizes_at !== null)
    return [
      {
        at: invoice.automatically_finalizes_at,
        name: 'invoice-finalisation',
        run: () => finaliseDue(twin, invoice.id),
      },
    ];
  if (invoice.status === 'open' && invoice.auto_advance && invoice.next_payment_attempt !== null)
    return [{ at: invoice.next_payment_attempt, name: 'invoice-collection', run: () => collectDue(twin, invoice.id) }];
  if (invoice.status === 'open' && invoice.due_date !== null && !twin.state.get('reminder', invoice.id))
    return [{ at: invoice.due_date, name: 'invoice-overdue', run: () => overdue(twin, invoice.id) }];
  return [];
}

function tasksOf(twin: Twin, table: TableName, row: object): Task[] {
  if (table === 'subscription') return subscriptionTasks(twin, row as Subscription);
  if (table === 'invoice') return invoiceTasks(twin, row as Invoice);
  if (table === 'subscription_schedule') {
    const at = scheduleDue(row as Schedule);
    const { id } = row as Schedule;
    return at === null ? [] : [{ at, name: 'schedule-phase', run: () => advanceSchedule(twin, id) }];
  }
  if (table === 'checkout.session') {
    const { id, status, expires_at: at } = row as Session;
    return status === 'open' ? [{ at, name: 'session-expiry', run: () => expireSession(twin, id) }] : [];
  }
  return [];
}

/** The next automatic step of an object. */
export function taskOf(twin: Twin, table: TableName, row: object): Task | undefined {
  return tasksOf(twin, table, row).reduce<Task | undefined>(
    (first, task) => (first && first.at <= task.at ? first : task),
    undefined,
  );
}
