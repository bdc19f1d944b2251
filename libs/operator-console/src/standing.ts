/** The status of a workspace beside its access, so that the two never say opposite things on one screen. */
import type { AdminState } from './screens/types';
import { words } from './words';

export interface Standing {
  /** In words, with what is under way. */
  readonly status: string;
  /** Whether the status may be shown as a good one. */
  readonly well: boolean;
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
    well: open,
    closed: open ? undefined : `${words(access.reason ?? 'closed')}: pages, self-service and guarded services refuse`,
  };
}
