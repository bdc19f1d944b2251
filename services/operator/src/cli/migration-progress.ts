/** A migration's progress as a line for people. */
import type { MigrationFacts } from '../migrations/domain/migration';

const barCharacters = 30;

export function isEnded({ status }: Pick<MigrationFacts, 'status'>): boolean {
  return status === 'completed' || status === 'refused' || status === 'reconciliation_required';
}

/**
 * `████░░░░ 45 % 450/1,000 · 440 succeeded, 10 skipped · 19.8/s · about 28 s`. `perSecond` is 0 while it is unknown.
 */
export function progressLine(
  { status, captured, tally }: Pick<MigrationFacts, 'status' | 'captured' | 'tally'>,
  perSecond: number,
): string {
  if (!captured) return `${status} …`;
  const done = tally.succeeded + tally.failed + tally.skipped + tally.reconciliation_required;
  const share = captured.count === 0 ? 1 : done / captured.count;
  const filled = Math.floor(share * barCharacters);
  const outcomes = (['succeeded', 'failed', 'skipped', 'reconciliation_required'] as const)
    .filter((each) => tally[each] > 0)
    .map((each) => `${tally[each]} ${each}`);
  const left = captured.count - done;
  return [
    `${'█'.repeat(filled)}${'░'.repeat(barCharacters - filled)}  ${Math.floor(share * 100)} %  ${done}/${captured.count}`,
    outcomes.length > 0 ? outcomes.join(', ') : 'nothing ended yet',
    ...(status === 'running' && perSecond > 0
      ? [`${perSecond.toFixed(1)}/s`, ...(left > 0 ? [`about ${Math.ceil(left / perSecond)} s`] : [])]
      : []),
    ...(status === 'running' ? [] : [status]),
  ].join(' · ');
}

/** The rate, from two readings; 0 while it is unknown. */
export function rateBetween(
  before: { readonly done: number; readonly at: number } | null,
  now: { readonly done: number; readonly at: number },
): number {
  if (!before || now.at <= before.at) return 0;
  return ((now.done - before.done) / (now.at - before.at)) * 1_000;
}
