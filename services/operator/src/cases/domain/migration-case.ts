/**
 * The case of a whole plan migration: which workspaces are unresolved, and what a person does with each of them before
 * the job is closed. The case of each workspace shows the provider's state; it is not read here.
 */
import type { CaseEvent, CaseView, Money, ProviderCallView } from '@platform/contracts-operator';
import { counted, type ExecutorKnowledge } from '@platform/kernel';
import type { MigrationFacts } from '../../migrations/domain/migration';
import type { ItemFacts } from '../../migrations/domain/migration-item';
import { callEvents, id, inOrder, instant, known, readCommands, text, toneOf } from './case-parts';
import { quiescenceOf, runningBy } from './executor-words';

interface NamedItem {
  readonly item: ItemFacts;
  readonly calls: readonly ProviderCallView[];
}

export interface MigrationMaterial {
  readonly migration: MigrationFacts;
  readonly knowledge: ExecutorKnowledge;
  /** Under way or with an unknown outcome. Only the first few; `unresolvedCount` has the total. */
  readonly unresolved: readonly NamedItem[];
  readonly unresolvedCount: number;
  /** Only the first few; `migration.tally` or a count has the total. */
  readonly failed: readonly NamedItem[];
}

const under: ReadonlySet<MigrationFacts['status']> = new Set(['capturing', 'running']);

export function caseOfMigration(
  material: MigrationMaterial,
  { collectedAt, money }: { readonly collectedAt: string; readonly money: Money | null },
): CaseView {
  const { migration, knowledge, unresolved } = material;
  const { executor, status, finishedAt } = migration;
  return {
    kind: 'migration',
    id: migration._id,
    tenantId: null,
    title: `migrate ${migration.fromPlanId} → ${migration.targetPlanId}`,
    status,
    open: status !== 'completed' && status !== 'refused',
    since: migration.createdAt.toISOString(),
    collectedAt,
    money,
    verdict: { money: moneyOf(material), running: runningOf(material) },
    intent: intentOf(material),
    sent: unresolved.flatMap(({ calls }) => calls.map((call) => ({ attempt: 1, ...call }))),
    provider: { source: 'not_applicable', objects: [] },
    executors: executor
      ? [
          {
            attempt: 1,
            ...executor,
            state: knowledge.state,
            ...(knowledge.lastHeardOf !== undefined && { lastHeardOf: knowledge.lastHeardOf }),
            startedAt: (migration.captured?.at ?? migration.createdAt).toISOString(),
            ...(finishedAt && { finishedAt: finishedAt.toISOString() }),
            ...(finishedAt && { outcome: status }),
          },
        ]
      : [],
    deliveries: [],
    timeline: timelineOf(material),
    notProven: notProven(material),
    next: nextOf(material),
    commands: commandsOf(material),
  };
}

function moneyOf({
  migration: { status, tally },
  unresolved,
  unresolvedCount,
}: MigrationMaterial): CaseView['verdict']['money'] {
  if (unresolvedCount > 0)
    return {
      answer: 'not_known',
      because: `The outcome of ${unresolvedCount} of its workspaces is not known (${unresolved.map(({ item }) => item.tenantId).join(', ')}${unresolvedCount > unresolved.length ? ', …' : ''}); changed: ${tally.succeeded}, failed: ${tally.failed}. Each of them has a case of its own.`,
    };
  if (tally.succeeded > 0)
    return {
      answer: 'moved',
      because: `The plan of ${counted(tally.succeeded, 'workspace')} was changed; each is charged or credited the difference.`,
    };
  return {
    answer: 'did_not_move',
    because:
      status === 'pending' || status === 'capturing' || status === 'refused'
        ? 'No workspace was begun.'
        : 'No change of a plan is recorded as made, and none is open.',
  };
}

function runningOf({
  migration: { status, executor },
  knowledge,
  unresolvedCount,
}: MigrationMaterial): CaseView['verdict']['running'] {
  if (status === 'completed' || status === 'refused')
    return { answer: 'no', because: 'It is finished; an executor that wakes later can begin no workspace.' };
  if (!executor) return { answer: 'no', because: 'No executor was admitted yet.' };
  const who = `${executor.instance} (${executor.incarnation})`;
  if (status === 'reconciliation_required') {
    if (unresolvedCount === 0)
      return {
        answer: 'no',
        because: `${who} can begin no further workspace, and no workspace is without its outcome.`,
      };
    return {
      answer: 'not_proven',
      because: `${who} can begin no further workspace, but the provider may still execute what was sent for ${unresolvedCount} of them.`,
    };
  }
  return runningBy(who, knowledge);
}

function intentOf({ migration, unresolved, unresolvedCount, failed }: MigrationMaterial): CaseView['intent'] {
  const { captured, tally, target } = migration;
  const done = tally.succeeded + tally.failed + tally.skipped + tally.reconciliation_required;
  return [
    text('from plan', migration.fromPlanId),
    text('to plan', migration.targetPlanId),
    ...known(id, 'price', target?.priceId),
    text('asked by', migration.requestedBy.email ?? migration.requestedBy.id),
    ...known(text, 'reason', migration.reason),
    instant('asked at', migration.createdAt.toISOString()),
    ...(captured ? [text('workspaces', String(captured.count)), id('list', captured.digest)] : []),
    text('succeeded', String(tally.succeeded)),
    text('failed', String(tally.failed)),
    text('skipped', String(tally.skipped)),
    text('not known or under way', String(unresolvedCount)),
    ...(captured && migration.status === 'reconciliation_required'
      ? [text('never begun', String(Math.max(0, captured.count - done)))]
      : []),
    ...known(text, 'which ones', namesOf(unresolved)),
    ...known(
      text,
      'failed workspaces',
      failed.map(({ item }) => `${item.tenantId} (${item.error?.message ?? 'no reason is recorded'})`).join('; '),
    ),
    ...known(text, 'error', migration.error?.message),
  ];
}

function namesOf(items: readonly NamedItem[]): string {
  return items.map(({ item }) => item.tenantId).join(', ');
}

function timelineOf({ migration, unresolved, failed }: MigrationMaterial): CaseEvent[] {
  const { captured, executor, finishedAt, resolution, error } = migration;
  return inOrder([
    {
      at: migration.createdAt.toISOString(),
      what: 'Migration asked for',
      detail: `by ${migration.requestedBy.email ?? migration.requestedBy.id}${migration.reason === undefined ? '' : `: ${migration.reason}`}`,
      tone: 'neutral',
    },
    ...(captured && executor
      ? [
          {
            at: captured.at.toISOString(),
            what: `List captured: ${counted(captured.count, 'workspace')}`,
            detail: `${executor.instance}, incarnation ${executor.incarnation}`,
            tone: 'neutral' as const,
          },
        ]
      : []),
    ...unresolved.flatMap(({ item, calls }) =>
      callEvents(
        calls.map((call) => ({ attempt: 1, ...call })),
        item.tenantId,
      ),
    ),
    ...[...unresolved, ...failed].flatMap(({ item }): CaseEvent[] =>
      item.finishedAt
        ? [
            {
              at: item.finishedAt.toISOString(),
              what: `${item.tenantId}: ${item.status === 'failed' ? 'failed' : 'outcome not known'}`,
              ...(item.error && { detail: item.error.message }),
              tone: toneOf(item.status === 'failed' ? 'failed' : 'unknown'),
            },
          ]
        : [],
    ),
    ...(finishedAt
      ? [
          {
            at: finishedAt.toISOString(),
            what: `Migration ${migration.status === 'reconciliation_required' || resolution ? 'stopped' : migration.status}`,
            ...(error && { detail: error.message }),
            tone: error ? ('unknown' as const) : ('good' as const),
          },
        ]
      : []),
    ...(resolution
      ? [
          {
            at: resolution.at.toISOString(),
            what: `Closed by ${resolution.by}`,
            detail: resolution.executorStopped,
            tone: 'neutral' as const,
          },
        ]
      : []),
  ]);
}

function notProven({
  migration: { status, executor },
  knowledge,
  unresolved,
  unresolvedCount,
}: MigrationMaterial): string[] {
  if (!under.has(status) && status !== 'reconciliation_required') return [];
  return [
    ...(executor && (status === 'reconciliation_required' || knowledge.state !== 'alive')
      ? quiescenceOf(executor, knowledge)
      : []),
    ...(unresolvedCount > 0 && status === 'reconciliation_required'
      ? [
          `What the provider did for ${namesOf(unresolved)}${unresolvedCount > unresolved.length ? ' and others' : ''}: the case of each workspace shows its subscription as it is now.`,
        ]
      : []),
  ];
}

function nextOf({
  migration: { status, resolution },
  knowledge,
  unresolvedCount,
}: MigrationMaterial): CaseView['next'] {
  switch (status) {
    case 'pending':
      return { advice: 'wait', text: 'Its turn has not come.' };
    case 'completed':
      return { advice: 'nothing', text: resolution ? 'Closed by an investigation.' : 'Done.' };
    case 'refused':
      return { advice: 'nothing', text: 'It was refused, and nothing was begun. A further migration takes a new id.' };
    case 'capturing':
    case 'running':
      return knowledge.state === 'alive'
        ? { advice: 'wait', text: 'It is being executed. Wait, and read again.' }
        : {
            advice: 'investigate',
            text: 'No process says that it goes on with it. Start its instance again: it stops the migration with all its evidence, and replays nothing.',
          };
    case 'reconciliation_required':
      return unresolvedCount > 0
        ? {
            advice: 'investigate',
            text: 'It is never continued. Resolve each of its workspaces first, with both proofs; then close the migration. Workspaces that were never started stay on their plan.',
          }
        : {
            advice: 'investigate',
            text: 'The outcome of every workspace that was begun is known. Close the migration off-line; workspaces that were never started stay on their plan.',
          };
  }
}

function commandsOf({ migration, unresolved, unresolvedCount }: MigrationMaterial): CaseView['commands'] {
  const commands = [...readCommands('migration', migration._id)];
  if (under.has(migration.status))
    commands.push({ purpose: 'Watch its progress', line: `npm run ops -- migration watch ${migration._id}` });
  for (const { item } of unresolved)
    commands.push({
      purpose: `Read the record of ${item.tenantId}`,
      line: `npm run ops -- show migration-item ${item._id}`,
    });
  if (migration.status === 'reconciliation_required') {
    commands.push({
      purpose:
        unresolvedCount > 0
          ? 'Close the migration; refused until every workspace above is resolved'
          : 'Close the migration',
      line: `npm run ops -- resolve migration ${migration._id} --executor-stopped "<how you know that it is stopped>" --token-file <file with your token>`,
    });
  }
  return commands;
}
