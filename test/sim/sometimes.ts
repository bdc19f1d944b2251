/**
 * States that some histories must reach: a run that never reaches one of them proves nothing about it, however many
 * histories it plays. States that only one history in thousands reaches, such as `delivery: skipped_deleted`, are not
 * listed.
 */

const ends: Readonly<Record<string, readonly string[]>> = {
  suspend: ['succeeded', 'failed', 'reconciliation_required'],
  reactivate: ['succeeded', 'failed'],
  upgrade_plan: ['succeeded', 'failed', 'reconciliation_required'],
  give_up_upgrade: ['succeeded', 'failed'],
  payment: ['confirmed', 'expired', 'confirmed, and the price changed'],
  credit_customer: ['succeeded', 'failed', 'reconciliation_required'],
  cancel_subscription: ['succeeded', 'failed'],
  change_plan_later: ['succeeded', 'failed', 'reconciliation_required'],
  drop_pending_change: ['succeeded', 'failed'],
  grant_free_access: ['succeeded', 'failed'],
  end_free_access: ['succeeded', 'failed'],
  checkout: ['succeeded', 'failed', 'awaiting_receipts'],
  create_workspace: ['succeeded', 'failed', 'running', 'reconciliation_required'],
  delete_workspace: ['succeeded'],
  migration: ['completed', 'reconciliation_required'],
  'migrated workspace': ['succeeded', 'failed', 'skipped', 'reconciliation_required'],
  delivery: ['succeeded', 'waived'],
  'provider event': ['success', 'skipped', 'reconciliation_required'],
  resolution: ['operation', 'migration', 'item', 'attempt', 'event', 'delivery'],
  time: ['0.3 h have passed', '25.0 h have passed', '72.0 h have passed', 'a month has passed'],
};

export const sometimes: readonly string[] = Object.entries(ends).flatMap(([what, states]) =>
  states.map((state) => `${what}: ${state}`),
);

/** Required from this number of histories on; a shorter run may miss the rarest states by chance. */
const askedFrom = 2_000;

export function neverReached({
  histories,
  reached,
}: {
  readonly histories: number;
  readonly reached: Readonly<Record<string, number>>;
}): string[] {
  return histories < askedFrom ? [] : sometimes.filter((state) => !reached[state]);
}
