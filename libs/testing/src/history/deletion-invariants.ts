/** The invariant about deleted workspaces: a deleted workspace stays deleted, and nothing else begins there. */
import { groupBy, order, type Evidence, type Invariant } from './evidence';

type Finding = { readonly subject: string; readonly message: string };

const action = 'delete_workspace';

function markers(evidence: Evidence): Finding[] {
  return [...groupBy(evidence.deletionLog ?? [], ({ tenantId }) => tenantId)].flatMap(([subject, changes]) =>
    changes.length > 1 ? [{ subject, message: 'its deletion marker was changed or taken away' }] : [],
  );
}

/** The instant of deletion of each marked workspace. */
function marked(evidence: Evidence): ReadonlyMap<string, number> {
  return new Map([...(evidence.deletionLog ?? [])].reverse().map(({ tenantId, at }) => [tenantId, order(at)] as const));
}

function begunAfterwards(evidence: Evidence): Finding[] {
  const since = marked(evidence);
  const isAfter = (tenantId: string, at: number) => at > (since.get(tenantId) ?? Infinity);
  const operations = new Map(evidence.operations.map((operation) => [operation._id, operation]));
  const opened = evidence.accessLog
    .filter(({ tenantId, state, at }) => state === 'open' && isAfter(tenantId, order(at)))
    .map(({ tenantId }) => ({ subject: tenantId, message: 'access was opened after its deletion had begun' }));
  const admitted = (evidence.transitionLog ?? [])
    .filter(
      ({ tenantId, operationId, change, at }) =>
        change === 'admitted' && isAfter(tenantId, order(at)) && operations.get(operationId)?.action !== action,
    )
    .map(({ tenantId, operationId }) => ({
      subject: operationId,
      message: `it took a transition of ${tenantId} after its deletion had begun`,
    }));
  return [...opened, ...admitted];
}

/**
 * A deletion succeeds only after the listeners' part has ended. An outcome that an investigator recorded is the
 * investigator's claim.
 */
function endedEarly(evidence: Evidence): Finding[] {
  if (!evidence.deletions) return [];
  const ended = new Map(evidence.deletions.map((deletion) => [deletion.tenantId, deletion.deletedAt]));
  const statuses = evidence.statusLog ?? [];
  return evidence.operations.flatMap((operation): Finding[] => {
    if (operation.action !== action || operation.status !== 'succeeded' || operation.resolution) return [];
    const at = statuses.find(({ operationId, status }) => operationId === operation._id && status === 'succeeded')?.at;
    const deletedAt = ended.get(operation.tenantId);
    return deletedAt !== undefined && (at === undefined || order(deletedAt) <= order(at))
      ? []
      : [{ subject: operation._id, message: 'it succeeded before every deletion listener had' }];
  });
}

export const deletionInvariants: readonly Invariant[] = [
  {
    id: 'I16',
    statement: 'A deletion marker is never taken back; after it no access opens and nothing but a deletion begins.',
    needs: ['deletionLog', 'transitionLog'],
    check: (evidence) => [...markers(evidence), ...begunAfterwards(evidence), ...endedEarly(evidence)],
    weigh: ({ deletionLog = [] }) => deletionLog.length,
    facts: 'deletion markers',
  },
];
