/** explain: a summary that names the plan, and with `executionStats` the numbers of keys and documents that it read. */
import { failCommand } from '../errors';
import type { Doc } from '../bson/values';
import { docOf, int } from '../bson/values';
import { parseFilter } from '../query/compile-filter';
import type { IndexPlan, Plan } from '../storage/planner';
import { choosePlan } from '../storage/planner';
import { pauseMark } from '../storage/pause';
import { readPaced, recordsOf } from '../storage/read-plan';
import { findCollection, namespaceName } from '../storage/store';
import type { Command, CommandContext } from './context';
import { checkArguments, optionalDoc, optionalString, requiredDoc } from './fields';
import { prepareFind, readHint, readSort } from './find-command';
import { leadingReads } from './aggregate-command';
import { scopeOf } from './variables';

interface Explained {
  filterDoc: Doc;
  sortDoc: Doc | undefined;
  hint: ReturnType<typeof readHint>;
  skip: number;
  /** Infinity: no limit. */
  limit: number;
}

const explain: Command = async (command, context) => {
  checkArguments(command, 'explain', ['verbosity']);
  const inner = requiredDoc(command, 'explain');
  const verbosity = optionalString(command, 'verbosity') ?? 'allPlansExecution';
  if (!['queryPlanner', 'executionStats', 'allPlansExecution'].includes(verbosity))
    failCommand(9, 'verbosity string must be one of queryPlanner, executionStats, allPlansExecution');
  const [name] = inner.keys();
  const collectionName = namespaceName(context.database, inner.get(name as string));
  const { filterDoc, sortDoc, hint, skip, limit } = readExplained(name as string, inner, context);
  const filter = parseFilter(filterDoc, { scope: scopeOf(inner) });
  const { fields, natural } = readSort(sortDoc);
  const collection = findCollection(context.store, context.database, collectionName);
  const plan: Plan | undefined = collection && choosePlan(collection, { filter, sort: fields, hint: natural ?? hint });
  const reply = docOf({
    queryPlanner: docOf({
      plannerVersion: int(1),
      namespace: `${context.database}.${collectionName}`,
      parsedQuery: filterDoc,
      winningPlan: describePlan(plan, sortDoc),
      rejectedPlans: [],
    }),
  });
  if (verbosity !== 'queryPlanner') {
    let returned = 0;
    let examined = 0;
    let keys = 0;
    if (collection && plan) {
      const wanted = stopsEarly(plan, sortDoc) ? skip + limit : Infinity;
      const tick = (): boolean => {
        examined += 1;
        return context.tick();
      };
      for (const match of readPaced(context.store.engine, collection, plan, filter, tick)) {
        if (match === pauseMark) await context.pause();
        else returned += 1;
        if (returned >= wanted) break;
      }
      returned = Math.min(Math.max(0, returned - skip), limit);
      if (plan.kind !== 'scan') keys = wanted === Infinity ? count(recordsOf(context.store.engine, plan)) : examined;
    }
    reply.set(
      'executionStats',
      docOf({
        executionSuccess: true,
        nReturned: int(returned),
        totalKeysExamined: int(keys),
        totalDocsExamined: int(examined),
      }),
    );
  }
  return reply;
};

/** Whether the read ends with the last wanted document; it does not when the order is made in memory. */
function stopsEarly(plan: Plan, sort: Doc | undefined): boolean {
  return !sort || sort.size === 0 || sort.has('$natural') || (plan.kind === 'index' && plan.sorted);
}

function count(records: Iterable<number>): number {
  let total = 0;
  for (const record of records) {
    void record;
    total += 1;
  }
  return total;
}

const unbounded = { skip: 0, limit: Infinity };

function explainedFind(inner: Doc, context: CommandContext, hint: Explained['hint']): Explained {
  const { skip, limit } = prepareFind(inner, context);
  return {
    filterDoc: optionalDoc(inner, 'filter') ?? new Map(),
    sortDoc: optionalDoc(inner, 'sort'),
    hint,
    skip,
    limit,
  };
}

function readExplained(name: string, inner: Doc, context: CommandContext): Explained {
  const hint = readHint(inner.get('hint'));
  switch (name) {
    case 'find':
      return explainedFind(inner, context, hint);
    case 'count':
    case 'distinct':
      return { filterDoc: optionalDoc(inner, 'query') ?? new Map(), sortDoc: undefined, hint, ...unbounded };
    case 'findAndModify':
      return {
        filterDoc: optionalDoc(inner, 'query') ?? new Map(),
        sortDoc: optionalDoc(inner, 'sort'),
        hint,
        ...unbounded,
      };
    case 'update':
    case 'delete': {
      const [statement] = inner.get(name === 'update' ? 'updates' : 'deletes') as Doc[];
      return {
        filterDoc: requiredDoc(statement as Doc, 'q'),
        sortDoc: undefined,
        hint: readHint((statement as Doc).get('hint')),
        ...unbounded,
      };
    }
    case 'aggregate': {
      const reads = leadingReads(inner);
      return { filterDoc: reads.filter, sortDoc: reads.sort, hint, ...unbounded };
    }
    default:
      return failCommand(59, `Explain failed due to unknown command: ${name}`);
  }
}

function describePlan(plan: Plan | undefined, sort: Doc | undefined): Doc {
  if (!plan) return docOf({ stage: 'EOF' });
  const read = describeRead(plan);
  if (!sort || sort.size === 0 || sort.has('$natural') || plan.sorted) return read;
  return docOf({ stage: 'SORT', sortPattern: sort, inputStage: read });
}

function describeRead(plan: Plan): Doc {
  if (plan.kind === 'scan') return docOf({ stage: 'COLLSCAN', direction: plan.reverse ? 'backward' : 'forward' });
  if (plan.kind === 'index') return docOf({ stage: 'FETCH', inputStage: describeIndex(plan) });
  return docOf({ stage: 'FETCH', inputStage: docOf({ stage: 'OR', inputStages: plan.plans.map(describeIndex) }) });
}

const describeIndex = (plan: IndexPlan): Doc =>
  docOf({
    stage: 'IXSCAN',
    keyPattern: plan.index.spec.get('key'),
    indexName: plan.index.name,
    isMultiKey: plan.index.multikey.includes(true),
    isUnique: plan.index.unique,
    isSparse: plan.index.sparse,
    isPartial: plan.index.partial !== undefined,
    direction: plan.reverse ? 'backward' : 'forward',
    intervals: int(plan.intervals.length),
  });

export const explainCommands: Record<string, Command> = { explain };
