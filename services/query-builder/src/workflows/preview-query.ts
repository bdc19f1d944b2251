/** PreviewQuery: what a query's route would answer, without writing a file. */
import type { BuilderResult, Issue, PreviewInput, QueryPreview } from '@platform/builder';
import {
  BadValueError,
  ChainError,
  collectionOf,
  createRowAccess,
  extendedJson,
  withLeftOut,
  valueIssues,
  withTruncation,
  type Aggregate,
  type RequestAccess,
  type RehearsedCalculation,
  type RouteParameter,
  type Stage,
  toFiniteNumber,
} from '@platform/page-runtime';
import { checkInput, plainParts } from '../domain/check-input';
import { parseQueryRef } from '../domain/project';
import { compileQuery, completeQuery, type QuerySpec } from '../domain/query';
import { boundArguments } from '../domain/source/emit-chain';
import { escapePointer } from '../domain/plain-input';
import { indexFor, servedBy } from '../domain/advise-indexes';
import { answering, Refused } from './answer';
import { loadModel, loadPage, loadHeldQuery } from './load';
import type { BuilderPorts } from './ports';
import { answerOf, type Asked, type Exported, type Values } from './replay-query';

/** How a preview reaches the rows; both calls only read and have their own time limit. */
export interface PreviewReads {
  aggregate(collection: string, pipeline: readonly Stage[], gone?: AbortSignal): ReturnType<Aggregate>;
  explain(collection: string, pipeline: readonly Stage[], gone?: AbortSignal): Promise<unknown>;
  indexes(collection: string): Promise<readonly { readonly key: Readonly<Record<string, unknown>> }[]>;
  exported?: Exported;
}

export const maxPreviewPoints = 500;

export function previewQuery(
  ports: BuilderPorts,
  reads: PreviewReads | undefined,
  input: PreviewInput,
  gone?: AbortSignal,
): Promise<BuilderResult<QueryPreview>> {
  return answering(ports.project, '/', async () => {
    if (!reads) throw new Refused({ code: 'unsupported', detail: 'this builder has no rows to preview with' });
    const spec = await specOf(ports, input.query);
    const values = valuesOf(input.args);
    const issues = [
      ...argIssues(spec, input.args),
      ...(spec.resource.tenantScoped && (typeof input.tenant !== 'string' || input.tenant === '')
        ? [{ pointer: '/tenant', message: 'is required, because each row belongs to a workspace' }]
        : []),
    ];
    if (issues.length > 0) throw new Refused({ code: 'invalid_config', issues });
    const aggregations: { readonly collection: string; readonly pipeline: readonly Stage[] }[] = [];
    const aggregate: Aggregate = (collection, pipeline) => {
      aggregations.push({ collection, pipeline });
      return reads.aggregate(collection, pipeline, gone);
    };
    const asked: RehearsedCalculation[] = [];
    const access = createRowAccess({
      aggregate,
      tenantId: input.tenant,
      maxPoints: maxPreviewPoints,
      observe: (resource, calculation) => void asked.push({ resource, calculation }),
    });
    const computed = await bodyOf(spec, access, { tenant: input.tenant, values, exported: reads.exported });
    const body = withLeftOut(withTruncation(computed), access.leftOut()) as QueryPreview['body'];
    const [first] = aggregations;
    const plan = first ? await reads.explain(first.collection, first.pipeline, gone) : null;
    const examined = examinedIn(plan);
    return {
      output: spec.template.output,
      ...(spec.response && { response: spec.response }),
      body,
      truncated: access.truncated(),
      pipeline: extendedJson(first?.pipeline ?? []) as readonly Stage[],
      ...(await indexAdvice(reads, asked[0])),
      explain: extendedJson(plan),
      ...(examined !== undefined && { examined }),
    };
  });
}

/**
 * How many documents the database read, wherever its plan reports the number: plans differ by server and by pipeline.
 */
function examinedIn(plan: unknown): number | undefined {
  if (typeof plan !== 'object' || plan === null) return undefined;
  const own = 'totalDocsExamined' in plan ? toFiniteNumber(plan.totalDocsExamined) : null;
  if (own !== null) return own;
  const inside = Object.values(plan).flatMap((each) => examinedIn(each) ?? []);
  return inside.length === 0 ? undefined : Math.max(...inside);
}

async function indexAdvice(
  reads: PreviewReads,
  calculation: RehearsedCalculation | undefined,
): Promise<Pick<QueryPreview, 'index'>> {
  const fields = calculation && indexFor(calculation);
  if (!fields) return {};
  const table = collectionOf(calculation.resource);
  const key = Object.fromEntries(fields.map((field) => [field, 1 as const]));
  return { index: { fields, exists: servedBy(await reads.indexes(table), { table, key, queries: [] }) } };
}

async function specOf(ports: BuilderPorts, query: unknown): Promise<QuerySpec> {
  const { project, templates } = ports;
  if (typeof query === 'string') {
    const parsed = parseQueryRef(query);
    if (!parsed) throw new Refused({ code: 'not_found', ref: query.slice(0, 200) });
    const { query: found } = await loadHeldQuery(ports, await loadPage(project, parsed.pageRef), query, parsed);
    if (found.kind === 'opaque')
      throw new Refused({ code: 'opaque_target', ref: query, reason: found.reason, detail: found.detail });
    return found.spec;
  }
  const { parts, issues } = plainParts(query);
  const model = await loadModel(project, parts.resource);
  const checked = checkInput({ parts: { name: 'preview', ...parts }, issues }, templates, model?.resource);
  if (checked.kind === 'invalid')
    throw new Refused({
      code: 'invalid_config',
      issues: checked.issues.map(({ pointer, message }) => ({ pointer: `/query${pointer}`, message })),
    });
  return completeQuery(checked.input, checked.template, checked.resource);
}

function valuesOf(args: unknown): Values {
  const own = typeof args === 'object' && args !== null ? Object.entries(args) : [];
  return new Map(own.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
}

const compared = ['compareFrom', 'compareTo'] as const;

/** The values that the query's route takes; a preview gives all of them by name, wherever the route finds them. */
function parametersOf(spec: QuerySpec): RouteParameter[] {
  const { fields } = spec.resource;
  const bound = compileQuery(spec).steps.flatMap((step) => {
    const [first] = step.args;
    const name = first?.kind === 'literal' ? String(first.value) : '';
    const field = step.method === 'where' && Object.hasOwn(fields, name) ? fields[name] : undefined;
    return boundArguments([step]).map(({ binding, valueKind }): [string, Omit<RouteParameter, 'name' | 'in'>] => [
      binding.$param.name,
      {
        role: field?.stored === 'objectId' ? 'id' : valueKind,
        ...(field?.options && { options: field.options }),
        uses: [],
      },
    ]);
  });
  const dates = (spec.compare ? compared : []).map((name) => [name, { role: 'date', uses: [] }] as const);
  return [...new Map<string, Omit<RouteParameter, 'name' | 'in'>>([...bound, ...dates])].map(([name, parameter]) => ({
    name,
    in: 'query',
    ...parameter,
  }));
}

/** What the query's route would refuse, by the same rules. */
function argIssues(spec: QuerySpec, args: unknown): Issue[] {
  const query = typeof args === 'object' && args !== null ? { ...args } : {};
  return valueIssues(parametersOf(spec), { query, params: {}, headers: {} }).map(({ name, message }) => ({
    pointer: `/args/${escapePointer(name).slice(0, 200)}`,
    message,
  }));
}

async function bodyOf(spec: QuerySpec, access: RequestAccess, asked: Asked): Promise<QueryPreview['body']> {
  try {
    return await answerOf(spec, access, asked);
  } catch (error) {
    if (error instanceof BadValueError) {
      const name = [...asked.values].find(([, text]) => text === error.text)?.[0] ?? '';
      throw new Refused({
        code: 'invalid_config',
        issues: [{ pointer: `/args/${escapePointer(name)}`, message: `must be ${error.expected}` }],
      });
    }
    if (error instanceof ChainError) throw new Refused({ code: 'unsupported', detail: error.message });
    throw error;
  }
}
