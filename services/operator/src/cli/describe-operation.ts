/** An operation in lines for people: the request, the attempts, and how far each provider call got. */
import { columns } from '@platform/command-line';
import type { Operation } from '../operations/domain/operation';
import { knowledgeOf, type AttemptExecutorStates } from '../operations/workflows/read-operation';

export function describeList(operations: readonly Operation[]): string {
  const rows = operations.map(({ _id, tenantId, action, status, createdAt, attempts }) => [
    createdAt.toISOString(),
    _id,
    tenantId,
    action,
    status,
    String(attempts.length),
  ]);
  return columns([['created', 'operation', 'workspace', 'action', 'status', 'attempts'], ...rows]);
}

const personOf = ({ email, id }: Operation['actor']): string => email ?? id;

/** Who requested this attempt, and why: another person may repeat an operation for another reason. */
const askedFor = ({ actor, reason }: Operation['attempts'][number]): string =>
  (actor ? `asked by ${personOf(actor)}` : '') + (reason === undefined ? '' : `: ${reason}`);

export function describeOperation(operation: Operation, executors: AttemptExecutorStates): string {
  const head: string[][] = [
    ['operation', operation._id],
    ['workspace', operation.tenantId],
    ['action', operation.action],
    ['status', operation.status],
    ['values', JSON.stringify(operation.values)],
    ['asked by', personOf(operation.actor)],
    ...(operation.reason !== undefined ? [['reason', operation.reason]] : []),
    ['created', operation.createdAt.toISOString()],
    ['revision', operation.revision],
    ...(operation.status === 'failed' || operation.status === 'reconciliation_required'
      ? [['because', operation.error.message]]
      : []),
    ...(operation.resolution
      ? [
          [
            'resolved',
            `${operation.resolution.outcome} by ${operation.resolution.by}, ${operation.resolution.at.toISOString()}`,
          ],
        ]
      : []),
  ];
  const attempts = operation.attempts.flatMap((attempt) => {
    const { instance, incarnation } = attempt.executor;
    const knowledge = knowledgeOf(executors, operation._id, attempt);
    const state = knowledge ? knowledge.state.replaceAll('_', ' ') : 'not asked';
    const heard = knowledge?.lastHeardOf === undefined ? '' : `, last heard of ${knowledge.lastHeardOf}`;
    const calls = attempt.providerCalls.map((call) => [
      '  call',
      call.step,
      call.skipped === undefined ? (call.outcome ?? 'no answer recorded') : `skipped: ${call.skipped}`,
      call.phase ?? '',
      call.httpStatus === undefined ? '' : String(call.httpStatus),
      call.requestId ?? '',
      call.idempotencyKey ?? '',
    ]);
    return [
      [
        `attempt ${attempt.number}`,
        attempt.outcome ?? 'unfinished',
        `executor ${instance} (${state}${heard})`,
        incarnation,
        attempt.startedAt.toISOString(),
        attempt.finishedAt?.toISOString() ?? '',
        askedFor(attempt),
      ],
      ...calls,
    ];
  });
  return `${columns(head)}\n\n${columns(attempts)}`;
}
