/** Small parts that only the console uses: money, states, kinds. The others are in the design parts. */
import { words } from '@platform/design-parts';
import { linkToCase } from './address';
import { formatMoney } from '@platform/contracts-operator/actions';

export function Amount({
  money,
}: {
  money: { readonly amountCents: number; readonly currency: string } | null | undefined;
}) {
  return <span class="amount">{formatMoney(money ?? null)}</span>;
}

const stateWords: Readonly<Record<string, string>> = {
  stopped: 'Stopped',
  interrupted: 'Interrupted',
  running: 'Running',
  waiting: 'Waiting',
};

/** The mark differs in shape as well as in colour. */
export function State({ state }: { state: string }) {
  return (
    <span class={`state state-${state}`}>
      <span class="mark" aria-hidden="true" />
      {stateWords[state] ?? words(state)}
    </span>
  );
}

const good = new Set([
  'succeeded',
  'success',
  'active',
  'open',
  'committed',
  'completed',
  'registered',
  'alive',
  'trialing',
  'offered',
]);
const bad = new Set([
  'reconciliation_required',
  'failed',
  'past_due',
  'suspended',
  'closed',
  'cancelled',
  'unregistered',
  'refused',
  'unknown',
  'superseded',
  'not_proven',
  'not_under_way',
  'no reader now',
]);

export function Status({ status }: { status: string }) {
  const tone = good.has(status) ? 'good' : bad.has(status) ? 'bad' : 'neutral';
  return <span class={`status tone-${tone}`}>{words(status)}</span>;
}

const kindWords: Readonly<Record<string, string>> = {
  operation: 'Operation',
  migration: 'Migration',
  migration_item: 'Migration item',
  webhook_event: 'Webhook event',
  provisioning_attempt: 'Provisioning attempt',
  deletion: 'Deletion',
  delivery: 'Delivery',
  dead_letter: 'Dead letter',
  difference: 'Difference at the provider',
  resolution: 'Resolution',
  provider_event: 'Provider event',
  creation: 'Creation',
  consumer_action: 'Consumer',
  workspace: 'Workspace',
  plan: 'Plan',
};

export function kindName(kind: string): string {
  return kindWords[kind] ?? words(kind);
}

/** The operation that holds a subscription, with a link to it. */
/** Under a list that shows its first page alone. */
export function OlderNotShown({ nextCursor }: { nextCursor: string | undefined }) {
  if (nextCursor === undefined) return null;
  return <p class="note">The newest are shown. There are older ones, which the API lists with its cursor.</p>;
}

export function PendingLink({ kind, operationId }: { kind: string; operationId: string }) {
  const record = operationId.includes(':') ? 'migration_item' : 'operation';
  return <a href={linkToCase(record, operationId)}>{words(kind)} under way</a>;
}
