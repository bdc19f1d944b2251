/** The status of a workspace together with its access, so that the two never contradict each other on one screen. */
import type { AdminState } from '@platform/contracts-operator';

const words = (name: string): string => name.replaceAll('_', ' ');

const soundsGood: ReadonlySet<string> = new Set(['active', 'trialing', 'past_due']);

/** When the current period ends. Undefined once the subscription has ended, whose period promises nothing any more. */
export function periodEndOf({
  status,
  currentPeriodEnd,
}: Pick<AdminState, 'status' | 'currentPeriodEnd'>): string | undefined {
  return status === 'cancelled' ? undefined : currentPeriodEnd;
}

export interface Standing {
  /** In words, including work under way. */
  readonly status: string;
  /** Whether the status needs no explanation; a good status with closed access does. */
  readonly plain: boolean;
  /** What a closed access means; undefined while it is open. */
  readonly closed: string | undefined;
}

export function standingOf({
  status,
  access,
  transition,
}: Pick<AdminState, 'status' | 'access' | 'transition'>): Standing {
  const open = access.state === 'open';
  const underWay = transition?.kind === 'suspend' ? ', being suspended' : '';
  return {
    status: `${words(status)}${open ? '' : underWay}`,
    plain: open || !soundsGood.has(status),
    closed: open ? undefined : `${words(access.reason ?? 'closed')}: pages, self-service and guarded services refuse`,
  };
}
