/** The case of a deletion: which listeners were called, and what to ask their owners. */
import type { CaseEvent, CaseView } from '@platform/contracts-operator';
import type { DeletionView } from '@platform/contracts-provisioning';
import { id, inOrder, instant, known, readCommands, resolveCommands, text } from './case-parts';
import { quiescenceOf, runningBy } from './executor-words';

export function caseOfDeletion(deletion: DeletionView, { collectedAt }: { readonly collectedAt: string }): CaseView {
  const { tenantId, workspaceName, status, executor, requestedAt } = deletion;
  const mayBeResolved = status === 'reconciliation_required' || (status === 'calling' && executor?.state !== 'alive');
  return {
    kind: 'deletion',
    id: tenantId,
    tenantId,
    title: `delete workspace ${workspaceName}`,
    status,
    open: status !== 'deleted',
    since: requestedAt,
    collectedAt,
    money: null,
    verdict: {
      money: {
        answer: 'did_not_move',
        because: 'The subscription ended before the listeners were called; a listener moves no money.',
      },
      running: runningOf(deletion),
    },
    intent: [
      text('workspace', workspaceName),
      text('plan', deletion.planId),
      id('operation', deletion.operationId),
      instant('asked at', requestedAt),
      text('status', status),
      ...known(text, 'error', deletion.lastError?.message),
    ],
    sent: [],
    provider: { source: 'not_applicable', objects: [] },
    executors: executor
      ? [
          {
            attempt: 1,
            service: executor.service,
            instance: executor.instance,
            incarnation: executor.incarnation,
            state: executor.state,
            ...(executor.lastHeardOf !== undefined && { lastHeardOf: executor.lastHeardOf }),
          },
        ]
      : [],
    deliveries: [],
    timeline: timelineOf(deletion),
    notProven: notProvenOf(deletion, mayBeResolved),
    next: nextOf(deletion, mayBeResolved),
    commands: [
      ...readCommands('deletion', tenantId),
      // A listener is never called again, so `not_applied` cannot complete the deletion.
      ...(mayBeResolved ? resolveCommands('deletion', tenantId, { takes: false }).slice(0, 1) : []),
    ],
  };
}

function runningOf({ status, executor }: DeletionView): CaseView['verdict']['running'] {
  if (status === 'deleted') return { answer: 'no', because: 'It is finished.' };
  if (!executor) return { answer: 'no', because: 'No process works on it; provisioning takes it up within seconds.' };
  return runningBy(`${executor.instance} (${executor.incarnation})`, executor);
}

/** Listeners without a recorded success. */
function doubtful({ listenerCalls }: DeletionView): string[] {
  return listenerCalls.filter(({ outcome }) => outcome !== 'done').map(({ listener }) => listener);
}

function notProvenOf(deletion: DeletionView, mayBeResolved: boolean): string[] {
  const { executor } = deletion;
  if (!mayBeResolved) return [];
  return [
    ...doubtful(deletion).map((listener) => `That ${listener} has removed what belongs to the workspace.`),
    ...(executor ? quiescenceOf(executor, executor) : []),
  ];
}

function nextOf(deletion: DeletionView, mayBeResolved: boolean): CaseView['next'] {
  const { status } = deletion;
  if (status === 'deleted') return { advice: 'nothing', text: 'The workspace is deleted.' };
  if (!mayBeResolved)
    return {
      advice: 'wait',
      text:
        status === 'requested'
          ? 'Its investigation has ended. Provisioning calls the other listeners within seconds.'
          : 'Its listeners are being called. Wait, and read again.',
    };
  const [first] = doubtful(deletion);
  return {
    advice: 'investigate',
    text: `${first === undefined ? 'Establish that its executor is stopped' : `Ask the owner of ${first} whether everything of the workspace is removed there, and have it removed where it is not`}. Then record the resolution as applied; the listeners that were not called yet are called after it, and no other is called again.`,
  };
}

const tones: Readonly<Record<string, CaseEvent['tone']>> = { done: 'good', failed: 'unknown' };

function timelineOf({ requestedAt, listenerCalls, resolutions, lastError, updatedAt, deletedAt }: DeletionView) {
  return inOrder([
    { at: requestedAt, what: 'Deletion asked for', tone: 'neutral' },
    ...listenerCalls.map(({ listener, calledAt, outcome }): CaseEvent => ({
      at: calledAt,
      what: `Listener ${listener}: TENANT_DELETED`,
      detail: outcome ?? 'no answer is recorded',
      tone: tones[outcome ?? ''] ?? 'unknown',
    })),
    ...(lastError ? [{ at: updatedAt, what: 'Stopped', detail: lastError.message, tone: 'unknown' as const }] : []),
    ...resolutions.map(({ at, by, executorStopped }): CaseEvent => ({
      at,
      what: `Resolved as applied by ${by}`,
      detail: executorStopped,
      tone: 'good',
    })),
    ...(deletedAt === undefined ? [] : [{ at: deletedAt, what: 'Deleted', tone: 'good' as const }]),
  ]);
}
