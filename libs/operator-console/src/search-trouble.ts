/** Why a search may have missed something. */
import type { SearchAnswer } from '@platform/contracts-operator';
import type { Answer } from '@platform/design-parts/requests';
import { problemOf } from './problem-of';

/** Empty when everything was searched. `byId` is null for a text that can be no id. */
export function troubleOf(byId: Answer<SearchAnswer> | null, workspaces: Answer<unknown>): string {
  const silent = byId?.kind === 'answered' ? byId.body.unavailable : [];
  return [
    byId && problemOf(byId)?.title,
    problemOf(workspaces)?.title,
    silent.length > 0 && `no answer from ${silent.join(', ')}`,
  ]
    .filter(Boolean)
    .join('; ');
}
