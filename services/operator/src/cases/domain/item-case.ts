/**
 * The case of one workspace of a plan migration. The item is presented as the attempt of an upgrade, so the rules for
 * operations judge its single call; an upgrade charges or credits the difference at once. The provider's evidence is
 * the workspace's recorded subscription, which proves something only while it carries the migration's id.
 */
import type {
  AdminState,
  CaseEvent,
  CaseView,
  Evidence,
  Money,
  OperationStatus,
  ProviderCallView,
} from '@platform/contracts-operator';
import type { ExecutorKnowledge } from '@platform/kernel';
import type { MigrationFacts } from '../../migrations/domain/migration';
import type { ItemFacts } from '../../migrations/domain/migration-item';
import {
  callEvents,
  id,
  inOrder,
  instant,
  known,
  readCommands,
  resolveCommands,
  resolvedEvent,
  text,
  toneOf,
} from './case-parts';
import { resolutionView } from '../../operations/domain/resolution-view';
import { quiescenceOf } from './executor-words';
import { caseOfOperation, contradictionCommand } from './operation-case';

export interface ItemMaterial {
  readonly item: ItemFacts;
  readonly calls: readonly ProviderCallView[];
  readonly migration: MigrationFacts;
  readonly workspace: AdminState | null;
  readonly knowledge: ExecutorKnowledge;
  /** Subscriptions that carry the migration's id: proof that the change was made. */
  readonly provider: Evidence['provider'];
  /** Conclusions that must not be drawn from them. */
  readonly unproven: readonly string[];
  /** The workspace's subscription when it does not carry the id; shown, but never a proof. */
  readonly unmarked?: { readonly id: string; readonly status: string; readonly priceId?: string };
}

const statuses: Readonly<Record<ItemFacts['status'], OperationStatus>> = {
  pending: 'pending',
  running: 'running',
  succeeded: 'succeeded',
  failed: 'failed',
  skipped: 'failed',
  reconciliation_required: 'reconciliation_required',
};

const isUnresolved = ({ status }: Pick<ItemFacts, 'status'>): boolean =>
  status === 'running' || status === 'reconciliation_required';

/** The item in the form of an operation; its dates are those of its only attempt. */
function asEvidence(material: ItemMaterial, collectedAt: string): Evidence {
  const { item, calls, migration, workspace, knowledge, provider } = material;
  const { error, executor, startedAt, finishedAt, resolution } = item;
  const attempt = executor && {
    number: 1,
    executor: { ...executor },
    executorState: knowledge.state,
    executorKnowledge: knowledge,
    startedAt: (startedAt ?? item.createdAt).toISOString(),
    providerCalls: [...calls],
    ...(finishedAt && {
      finishedAt: finishedAt.toISOString(),
      outcome:
        item.status === 'reconciliation_required'
          ? ('unknown' as const)
          : item.status === 'succeeded'
            ? ('succeeded' as const)
            : ('failed' as const),
    }),
    ...(error && { error: { code: error.code, message: error.message } }),
  };
  return {
    operation: {
      operationId: item._id,
      tenantId: item.tenantId,
      action: 'upgrade_plan',
      status: statuses[item.status],
      actor: { ...migration.requestedBy },
      values: { planId: migration.targetPlanId },
      fingerprint: '',
      attempts: attempt ? [attempt] : [],
      ...(resolution && { resolution: resolutionView(resolution) }),
      revision: item.revision,
      createdAt: item.createdAt.toISOString(),
      updatedAt: item.updatedAt.toISOString(),
    },
    collectedAt,
    workspace,
    provider,
    lifecycle: { source: 'not_applicable' },
    notProven: notProven(material),
  };
}

function notProven({ item, knowledge, unproven, unmarked }: ItemMaterial): string[] {
  if (!isUnresolved(item)) return [];
  const { executor } = item;
  return [
    ...(executor ? quiescenceOf(executor, knowledge) : []),
    ...unproven,
    ...(unmarked
      ? [`That ${unmarked.id} was never changed by this: a later change replaces the id that it carries.`]
      : []),
  ];
}

/** What the lost answer of the call may mean, with the affected subscription. */
function moneyOf(
  { item, migration, calls, provider, unmarked }: ItemMaterial,
  base: CaseView['verdict']['money'],
): CaseView['verdict']['money'] {
  const lost = calls.find(
    ({ skipped, outcome }) => skipped === undefined && outcome !== 'succeeded' && outcome !== 'failed',
  );
  if (!isUnresolved(item) || !lost) return base;
  const [found] = provider.objects;
  if (found)
    return {
      answer: 'moved',
      because: `The answer to ${lost.step} was lost, but the provider's ${found.kind} ${found.id} carries this migration's id${priceIn(found.summary['priceId'])}.`,
    };
  if (provider.source === 'unavailable') return base;
  const shown = unmarked
    ? `the provider shows ${unmarked.id}${priceIn(unmarked.priceId)} without this migration's id (the target is ${migration.target?.priceId ?? 'a plan without a price'})`
    : "the provider lists no subscription under this migration's id";
  return {
    answer: 'not_known',
    because: `The answer to ${lost.step} was lost, and ${shown}. The change may still appear.`,
  };
}

function priceIn(priceId: unknown): string {
  return typeof priceId === 'string' ? ` at ${priceId}` : '';
}

function nextOf({ status, reason }: ItemFacts, base: CaseView['next']): CaseView['next'] {
  switch (status) {
    case 'reconciliation_required':
      return {
        advice: 'investigate',
        text: 'It is never begun again, and the workspace stays held. Establish both proofs: the executor is stopped or quiescent, and what the provider did is known. Then record the resolution off-line; it frees the workspace.',
      };
    case 'running':
      return base;
    case 'pending':
      return { advice: 'wait', text: 'Its turn in the migration has not come.' };
    case 'succeeded':
      return base.advice === 'investigate' ? base : { advice: 'nothing', text: 'The plan was changed.' };
    case 'failed':
    case 'skipped':
      if (base.advice === 'investigate') return base;
      return {
        advice: 'nothing',
        text: `The plan stayed as it was${reason ? ` (${reason.replaceAll('_', ' ')})` : ''}. A further migration may take the workspace up.`,
      };
  }
}

function timelineOf({ item, migration, calls, workspace }: ItemMaterial): CaseEvent[] {
  const { executor, startedAt, finishedAt, error, resolution } = item;
  const { transition } = workspace ?? {};
  const ended = item.status === 'reconciliation_required' || item.resolution ? 'outcome not known' : item.status;
  return inOrder([
    {
      at: migration.createdAt.toISOString(),
      what: `Migration ${migration._id} asked for`,
      detail: `${migration.fromPlanId} → ${migration.targetPlanId} by ${migration.requestedBy.email ?? migration.requestedBy.id}`,
      tone: 'neutral',
    },
    {
      at: item.createdAt.toISOString(),
      what: 'Workspace captured in its list',
      detail: `place ${item.ordinal}${migration.captured ? ` of ${migration.captured.count}` : ''}, subscription revision ${item.subscriptionRevision}`,
      tone: 'neutral',
    },
    ...(executor && startedAt
      ? [
          {
            at: begunAt(startedAt, calls),
            what: 'Item begun: intent and call written down',
            detail: `${executor.instance}, incarnation ${executor.incarnation}`,
            tone: 'neutral' as const,
          },
        ]
      : []),
    ...callEvents(calls.map((call) => ({ attempt: 1, ...call }))),
    ...(finishedAt
      ? [
          {
            at: finishedAt.toISOString(),
            what: `Item ended: ${ended}`,
            ...(error && !resolution && { detail: error.message }),
            tone: toneOf(item.status === 'reconciliation_required' || resolution ? 'unknown' : item.status),
          },
        ]
      : []),
    ...(isUnresolved(item) && transition?.operationId === item._id && startedAt
      ? [
          {
            at: (finishedAt ?? startedAt).toISOString(),
            what: 'The workspace stays held by this item',
            detail: 'Its subscription takes no other change until the outcome is recorded',
            tone: 'unknown' as const,
          },
        ]
      : []),
    ...(resolution
      ? [
          {
            at: resolution.at.toISOString(),
            ...resolvedEvent(resolutionView(resolution)),
            tone: 'neutral' as const,
          },
        ]
      : []),
  ]);
}

/** One write records both begin and call, with successive instants, so the intent is never shown after its call. */
function begunAt(startedAt: Date, calls: readonly ProviderCallView[]): string {
  return [startedAt.toISOString(), ...calls.flatMap(({ sentAt }) => (sentAt === undefined ? [] : [sentAt]))].sort()[0]!;
}

function intentOf({ item, migration, workspace }: ItemMaterial): CaseView['intent'] {
  return [
    text('migration', item.migrationId),
    text('migration is', migration.status),
    text('from plan', migration.fromPlanId),
    text('to plan', migration.targetPlanId),
    ...known(id, 'price', migration.target?.priceId),
    text('place in the list', String(item.ordinal)),
    text('asked by', migration.requestedBy.email ?? migration.requestedBy.id),
    instant('captured', item.createdAt.toISOString()),
    ...known(text, 'workspace status', workspace?.status),
    ...known(text, 'plan now', workspace?.planId),
    ...known(
      text,
      'pending transition',
      workspace?.transition &&
        `${workspace.transition.kind.replaceAll('_', ' ')} by ${workspace.transition.operationId === item._id ? 'this item' : workspace.transition.operationId}`,
    ),
    ...known(text, 'why', item.reason),
    ...known(text, 'error', item.error?.message),
    id('captured revision', item.subscriptionRevision),
    id('revision', item.revision),
  ];
}

export function caseOfMigrationItem(
  material: ItemMaterial,
  { collectedAt, money }: { readonly collectedAt: string; readonly money: Money | null },
): CaseView {
  const { item, migration, provider, unmarked } = material;
  const base = caseOfOperation(asEvidence(material, collectedAt), money);
  const unresolved = isUnresolved(item);
  const isContradicted = base.verdict.money.answer === 'contradicted';
  return {
    ...base,
    ...{ kind: 'migration_item', status: item.status },
    title: `migrate ${migration.fromPlanId} → ${migration.targetPlanId}`,
    open: item.status === 'pending' || unresolved || isContradicted,
    verdict: { money: moneyOf(material, base.verdict.money), running: base.verdict.running },
    intent: intentOf(material),
    provider: {
      ...base.provider,
      objects: [
        ...base.provider.objects,
        ...(unmarked
          ? [
              {
                kind: 'subscription',
                id: unmarked.id,
                summary: { status: unmarked.status, priceId: unmarked.priceId, carriesThisMigration: 'no' },
              },
            ]
          : []),
      ],
    },
    timeline: timelineOf(material),
    next: nextOf(item, base.next),
    commands: [
      ...readCommands('migration-item', item._id),
      { purpose: 'Read the whole migration', line: `npm run ops -- show migration ${item.migrationId}` },
      ...(unresolved
        ? resolveCommands('migration-item', item._id, { takes: true, found: provider.objects[0]?.id })
        : []),
      ...(isContradicted && !item.resolution?.override ? [contradictionCommand(item._id)] : []),
    ],
  };
}
