/** The lists of `wsp`: the gateway operation of each, its options, and the columns that people read. */
import { columns } from '@platform/command-line';
import { formatMoney, formatPrice } from '@platform/contracts-operator/actions';
import type { Migration, WorkItem } from '@platform/workspace-platform/gateway';
import { answerOf, type Gateway } from './gateway';
import type { Run, Values } from './run';

interface Listed {
  /** The gateway's answer, for --json. */
  readonly answer: object;
  readonly rows: readonly (readonly string[])[];
}

interface List {
  readonly head: readonly string[];
  readonly none: string;
  readonly read: (gateway: Gateway, values: Values, words: readonly string[]) => Promise<Listed>;
}

type ListName = Exclude<
  Run['command'],
  | 'case show'
  | 'deadletters show'
  | 'trace'
  | 'workspace show'
  | 'streams'
  | 'consumer pause'
  | 'consumer resume'
  | 'consumer test'
  | 'consumer replay'
  | 'consumer cancel-replay'
  | 'consumer register-endpoint'
  | 'consumer remove-endpoint'
  | 'ops'
  | 'completion'
>;

export const money = (
  amount: { readonly amountCents: number; readonly currency: string } | null | undefined,
): string => (amount ? formatMoney(amount) : '');

const page = ({ limit, cursor }: Values) => ({ limit, cursor });
const ordered = ({ limit, cursor, order }: Values) => ({ limit, cursor, order });

/** Only the gateway decides which words are valid, and refuses others. */
const word = (text: string | undefined): never => text as never;

/** Members that have a value. */
function given<T extends object>(members: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as never;
}

function workList(kindOf: (values: Values) => string | undefined): List {
  const row = ({ kind, id, tenantId, state, status, title, money: risk, since, work }: WorkItem): string[] => [
    ...[kind, id, tenantId ?? '', state, status],
    ...[title, money(risk), since, work?.assignee ?? ''],
  ];
  return {
    head: ['kind', 'id', 'workspace', 'state', 'status', 'what', 'at risk', 'since', 'with'],
    none: 'Nothing is unresolved.',
    read: async (gateway, values) => {
      const { workspace: tenantId, assignee, cause } = values;
      const filter = { tenantId, assignee, cause, kind: word(kindOf(values)), state: word(values.state) };
      const answer = answerOf(await gateway('listWork', { query: given({ ...page(values), ...filter }) }));
      return { answer, rows: answer.items.map(row) };
    },
  };
}

const planList: List = {
  head: ['plan', 'name', 'cost', 'price', 'on sale'],
  none: 'The catalog is empty.',
  read: async (gateway) => {
    const answer = answerOf(await gateway('listPlans', {}));
    const rows = answer.plans.map((plan) => [
      plan.planId,
      plan.name,
      formatPrice(plan),
      plan.priceId ?? '',
      yes(plan.offered),
    ]);
    return { answer, rows };
  },
};
const yes = (truth: boolean): string => (truth ? 'yes' : 'no');

const workspaceList: List = {
  head: ['workspace', 'name', 'owner', 'plan', 'status', 'access', 'pending', 'since'],
  none: 'No workspace is found.',
  read: async (gateway, values, words) => {
    const query = words.length === 0 ? undefined : words.join(' ');
    const filter = { query, plan: values.plan, status: word(values.status) };
    const answer = answerOf(await gateway('listWorkspaces', { query: given({ ...ordered(values), ...filter }) }));
    const rows = answer.workspaces.map((row) => [
      ...[row.tenantId, row.workspaceName, row.owner?.email ?? '', row.planId, row.status],
      ...[row.access.state, row.pending?.kind ?? '', row.createdAt],
    ]);
    return { answer, rows };
  },
};

const activityList: List = {
  head: ['at', 'action', 'status', 'workspace', 'who', 'amount', 'record', 'reason'],
  none: 'Nothing that happened fits.',
  read: async (gateway, values) => {
    const { workspace, actor, action, from, to, status, kind } = values;
    const filter = { workspace, actor, action, from, to, status, kind: word(kind) };
    const answer = answerOf(await gateway('listActivity', { query: given({ ...ordered(values), ...filter }) }));
    const rows = answer.activity.map((row) => [
      ...[row.at, row.action, row.status, row.tenantId ?? '', row.actor?.email ?? row.actor?.id ?? ''],
      ...[money(row.amount), row.recordId, row.reason ?? ''],
    ]);
    return { answer, rows };
  },
};

const operationList: List = {
  head: ['created', 'operation', 'workspace', 'action', 'status', 'attempts', 'asked by'],
  none: 'There is no such operation.',
  read: async (gateway, values) => {
    const query = given({ ...ordered(values), status: word(values.status) });
    const answer =
      values.workspace === undefined
        ? answerOf(await gateway('listOperations', { query }))
        : answerOf(await gateway('listWorkspaceOperations', { path: { tenantId: values.workspace }, query }));
    const rows = answer.operations.map(({ createdAt, operationId, tenantId, action, status, attempts, actor }) => [
      ...[createdAt, operationId, tenantId, action, status, String(attempts.length), actor.email ?? actor.id],
    ]);
    return { answer, rows };
  },
};

const migrationList: List = {
  head: ['created', 'migration', 'from', 'to', 'status', 'workspaces', 'done', 'failed', 'skipped', 'not known'],
  none: 'There is no such migration.',
  read: async (gateway, values) => {
    const row = ({ createdAt, migrationId, fromPlanId, targetPlanId, status, snapshot, counters }: Migration) => [
      ...[createdAt, migrationId, fromPlanId, targetPlanId, status],
      ...[snapshot?.count, counters.succeeded, counters.failed, counters.skipped, counters.reconciliation_required].map(
        count,
      ),
    ];
    const query = given({ ...ordered(values), status: word(values.status) });
    const answer = answerOf(await gateway('listMigrations', { query }));
    return { answer, rows: answer.migrations.map(row) };
  },
};
const count = (number: number | undefined): string => (number === undefined ? '' : String(number));

const deliveryList: List = {
  head: ['operation', 'consumer', 'workspace', 'transition', 'status', 'sent', 'refused', 'last error', 'since'],
  none: 'There is no such delivery.',
  read: async (gateway, values) => {
    const query = given({ ...ordered(values), status: word(values.status), consumer: values.consumer });
    const answer = answerOf(await gateway('listDeliveries', { query }));
    const rows = answer.deliveries.map((row) => [
      ...[row.operationId, row.consumer, row.tenantId, row.transition, row.status],
      ...[count(row.attemptCount), count(row.failureCount), row.lastError ?? '', row.createdAt],
    ]);
    return { answer, rows };
  },
};

const consumerList: List = {
  head: ['consumer', 'status', 'transitions', 'waiting', 'oldest', 'refused receipts', 'contact', 'endpoint'],
  none: 'No consumer has registered.',
  read: async (gateway) => {
    const answer = answerOf(await gateway('listConsumers', {}));
    const rows = answer.consumers.map((row) => [
      ...[
        row.name,
        row.paused ? 'paused' : row.status,
        row.transitions.join(','),
        count(row.waitingDeliveries),
        row.oldestWaitingAt ?? '',
      ],
      ...[count(row.refusedReceipts?.count), row.contact ?? '', row.endpoint?.url ?? ''],
    ]);
    return { answer, rows };
  },
};

export const lists: { readonly [Name in ListName]: List } = {
  'case list': workList(({ kind }) => kind),
  deadletters: workList(() => 'dead_letter'),
  plan: planList,
  'workspace find': workspaceList,
  activity: activityList,
  'operation list': operationList,
  'migration list': migrationList,
  'delivery list': deliveryList,
  'consumer list': consumerList,
};

/** The output of a list; for people with the command that continues it. */
export async function listOf(list: List, { words, values }: Run, gateway: Gateway): Promise<string> {
  const { answer, rows } = await list.read(gateway, values, words);
  if (values.json) return JSON.stringify(answer, null, 2);
  const table = rows.length === 0 ? list.none : columns([list.head, ...rows]);
  const { nextCursor } = answer as { readonly nextCursor?: string };
  return nextCursor === undefined ? table : `${table}\n\nMore: the same with --cursor ${nextCursor}`;
}
