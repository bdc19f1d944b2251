/**
 * PreviewQuery: a query's chain as its template emits it, run by the page runtime without a file being written. It uses
 * the same steps, coercions and arrangement, so it shows what the route would answer.
 */
import type { BuilderResult, ChainStep, Issue, PreviewInput, QueryPreview } from '@platform/builder';
import {
  arrange,
  asBoolean,
  asDate,
  asNumber,
  BadValueError,
  ChainError,
  collectionOf,
  createRowAccess,
  extendedJson,
  Rows,
  withLeftOut,
  withTruncation,
  type Aggregate,
  type Computed,
  type RequestAccess,
  type RehearsedCalculation,
  type Resource,
  type Stage,
  toFiniteNumber,
} from '@platform/page-runtime';
import { checkInput, plainParts } from '../domain/check-input';
import { parseQueryRef } from '../domain/project';
import { compileQuery, completeQuery, type QuerySpec } from '../domain/query';
import { boundArguments, type BoundArgument } from '../domain/source/emit-chain';
import { escapePointer } from '../domain/plain-input';
import { indexFor, servedBy } from '../domain/advise-indexes';
import { answering, Refused } from './answer';
import { loadModel, loadPage, loadQuery } from './load';
import type { BuilderPorts } from './ports';

/** How a preview reaches the rows; both calls only read and end after a time of their own. */
export interface PreviewReads {
  aggregate(collection: string, pipeline: readonly Stage[], gone?: AbortSignal): ReturnType<Aggregate>;
  explain(collection: string, pipeline: readonly Stage[], gone?: AbortSignal): Promise<unknown>;
  indexes(collection: string): Promise<readonly { readonly key: Readonly<Record<string, unknown>> }[]>;
  /** What a package exports that templates name; undefined where none was registered. */
  exported?(module: string, name: string): unknown;
}

export const maxPreviewPoints = 500;

type Values = ReadonlyMap<string, string>;

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
      ...missing(spec, values),
      ...(spec.resource.tenantScoped && (typeof input.tenant !== 'string' || input.tenant === '')
        ? [{ pointer: '/tenant', message: 'is required, because rows belong to tenants' }]
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

/** How many documents the database read, wherever its plan reports it: plans differ by server and by pipeline. */
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

async function specOf({ project, templates }: BuilderPorts, query: unknown): Promise<QuerySpec> {
  if (typeof query === 'string') {
    const parsed = parseQueryRef(query);
    if (!parsed) throw new Refused({ code: 'not_found', ref: query.slice(0, 200) });
    const { query: found } = await loadQuery(
      project,
      await loadPage(project, parsed.pageRef),
      query,
      parsed.name,
      templates,
    );
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

function missing(spec: QuerySpec, values: Values): Issue[] {
  const names = [
    ...new Set(boundArguments(compileQuery(spec).steps).map(({ binding }) => binding.$param.name)),
    ...(spec.compare ? compared : []),
  ];
  return names
    .filter((name) => !values.has(name))
    .map((name) => ({ pointer: `/args/${escapePointer(name)}`, message: 'is required, as one text' }));
}

/** The caller and the values of a preview. */
interface Asked {
  readonly tenant: string | undefined;
  readonly values: Values;
  readonly exported: PreviewReads['exported'];
}

function fail(message: string): never {
  throw new ChainError(message);
}

async function bodyOf(spec: QuerySpec, access: RequestAccess, asked: Asked): Promise<QueryPreview['body']> {
  const { values } = asked;
  const { steps, route } = compileQuery(spec);
  const { previousArgs } = route('preview');
  try {
    const computed = await run(
      steps,
      spec.resource,
      access,
      boundArguments(steps).map((bound) => bound.binding.$param.name),
      asked,
    );
    if (!spec.response) return spec.template.output === 'scalar' ? { value: computed } : { series: computed };
    const previous =
      previousArgs &&
      (await run(
        steps,
        spec.resource,
        access,
        previousArgs.map(({ name }) => name),
        asked,
      ));
    return {
      ...arrange(computed, {
        response: spec.response,
        measure: spec.template.measureOf(spec.params),
        ...(previous !== undefined && { previous }),
      }),
    };
  } catch (error) {
    if (error instanceof BadValueError) {
      const name = [...values].find(([, text]) => text === error.text)?.[0] ?? '';
      throw new Refused({
        code: 'invalid_config',
        issues: [{ pointer: `/args/${escapePointer(name)}`, message: `must be ${error.expected}` }],
      });
    }
    if (error instanceof ChainError) throw new Refused({ code: 'unsupported', detail: error.message });
    throw error;
  }
}

/** Replays the steps on the runtime's own chain. `names` are the request values in the order of the bound arguments. */
async function run(
  steps: readonly ChainStep[],
  resource: Resource,
  access: RequestAccess,
  names: readonly string[],
  asked: Asked,
): Promise<Computed> {
  const { tenant: tenantId } = asked;
  const waiting = [...names];
  let chain: unknown = new Rows(resource, access, resource.tenantScoped && tenantId !== undefined ? { tenantId } : {});
  for (const { method, args } of steps) {
    const call = (chain as Readonly<Record<string, unknown>>)[method];
    if (typeof call !== 'function') throw new ChainError(`the page runtime has no step ${method} here`);
    chain = call.apply(
      chain,
      args.map((argument) => valueOf(argument, waiting, asked)),
    ) as unknown;
  }
  return (await chain) as Computed;
}

function valueOf(argument: ChainStep['args'][number], waiting: string[], { values, exported }: Asked): unknown {
  switch (argument.kind) {
    case 'literal':
      return argument.value;
    case 'date':
      return asDate(argument.text);
    case 'object':
      return argument.entries;
    case 'imported':
      return (
        exported?.(argument.module, argument.name) ??
        fail(`the builder knows no ${argument.name} of the package ${argument.module}`)
      );
    case 'bound':
      return coerce(argument, values.get(waiting.shift()!)!);
  }
}

function coerce({ valueKind }: BoundArgument, text: string): unknown {
  switch (valueKind) {
    case 'number':
      return asNumber(text);
    case 'boolean':
      return asBoolean(text);
    case 'date':
      return asDate(text);
    case 'text':
    case 'select':
      return text;
  }
}
