/** The types of the query builder: specification §2 "Query builder types", specification §4 "Builder operations". */
import type { AggregateOp, Bucket, FilterOp, ResponseShape, ValueKind } from '@platform/page-runtime';

/** `<pageRef>@<name>`, split at the last `@`. */
export type QueryRef = string;
/** Name of a resource of the page project. */
export type ResourceRef = string;
export type QueryOutputKind = 'scalar' | 'series';
export type QueryResponseShape = ResponseShape;

export interface QueryParamBinding {
  readonly $param: { readonly name: string; readonly in?: 'query' | 'param' };
}
export type PlainScalar = string | number | boolean;
export type QueryParamValue = PlainScalar | QueryParamBinding | readonly QueryFilter[];

/** One conjunct of a template's `where`; filters combine with AND. */
export interface QueryFilter {
  readonly field: string;
  readonly op: FilterOp;
  readonly value: PlainScalar | QueryParamBinding;
}

/** One parameter of a template, for editors. */
export interface ConfigField {
  readonly type: 'option' | 'field' | 'filters' | 'integer' | 'timezone';
  readonly title: string;
  readonly required?: boolean;
  readonly default?: string | number;
  /** The allowed values of an `option`. */
  readonly options?: readonly string[];
  /** Kinds of field that a `field` accepts. */
  readonly kinds?: readonly ValueKind[];
  readonly minimum?: number;
  readonly maximum?: number;
}
export type ConfigSchema = Readonly<Record<string, ConfigField>>;

export interface QueryTemplateDescriptor {
  readonly id: string;
  readonly resourceType: 'database-table';
  readonly title: string;
  readonly description: string;
  readonly output: QueryOutputKind;
  readonly params: ConfigSchema;
}

export interface AddQueryInput {
  readonly name: string;
  readonly resource: ResourceRef;
  readonly template: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly endpoint?: string;
  readonly response?: QueryResponseShape;
  readonly compare?: boolean;
}

export interface EditOptions {
  /** The page's version as GetPageStructure returned it; another one on disk is a `conflict`. */
  readonly expectedVersion?: string;
}

export type OpaqueReason = 'unparseable_route' | 'unparseable_chain';

export interface RouteParam {
  readonly name: string;
  readonly in: 'query' | 'param' | 'header';
}

export interface SourcePosition {
  /** Relative to the page project. */
  readonly file: string;
  /** Counts from 1. */
  readonly line: number;
  readonly column: number;
}

/** A query read back from a page's source and, where the page runs, compared with what the page did. */
export interface QueryStructure {
  readonly name: string;
  readonly endpoint: string;
  readonly resource?: ResourceRef;
  readonly modelMethod?: string;
  readonly output?: QueryOutputKind;
  readonly template?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly response?: QueryResponseShape;
  readonly compare?: boolean;
  readonly routeParams: readonly RouteParam[];
  readonly opaque: boolean;
  readonly opaqueReason?: OpaqueReason;
  /** What was not understood and where, for people. */
  readonly opaqueDetail?: string;
  readonly opaqueAt?: SourcePosition;
  /** Why no run of the page confirms the reading; absent for an opaque query, and where a run confirms it. */
  readonly uncertified?: string;
}

export interface PageStructure {
  readonly pageRef: string;
  /** Changes with every byte of the page's file. */
  readonly version: string;
  readonly queries: readonly QueryStructure[];
}

export interface FileChange {
  /** Relative to the page project, with `/`. */
  readonly path: string;
  readonly kind: 'created' | 'changed';
  /** Unified diff. */
  readonly diff: string;
}

export interface Issue {
  /** JSON pointer into the input. */
  readonly pointer: string;
  readonly message: string;
}

export type BuilderError =
  | { readonly code: 'invalid_config'; readonly issues: readonly Issue[] }
  | {
      readonly code: 'duplicate_name';
      readonly name: string;
      readonly scope: 'query';
      readonly pointer: string;
      readonly detail: string;
    }
  | { readonly code: 'opaque_target'; readonly ref: QueryRef; readonly reason: OpaqueReason; readonly detail: string }
  | { readonly code: 'not_found'; readonly ref: string }
  /** `currentVersion` is the page's; empty when the page no longer exists. */
  | { readonly code: 'conflict'; readonly currentVersion: string; readonly detail: string }
  | { readonly code: 'unsupported'; readonly detail: string }
  | { readonly code: 'source_error'; readonly file: string; readonly line: number; readonly message: string };

export type BuilderResult<Data> =
  { readonly ok: true; readonly data: Data } | { readonly ok: false; readonly error: BuilderError };

interface Changed {
  readonly query: QueryRef;
  readonly changes: readonly FileChange[];
}
/** `route` is the whole path, ready to be a block's fetchUrl. */
export type AddedQuery = Changed & {
  readonly route: string;
  /** Requested options without an effect, with pointer and reason. Absent: every option has an effect. */
  readonly notices?: readonly Issue[];
};
export type ConfiguredQuery = AddedQuery;
export type RemovedQuery = Changed;

/** A query that is not written yet; a name and an endpoint are needed only where they matter. */
export type DraftQuery = Omit<AddQueryInput, 'name'> & { readonly name?: string };

export interface PreviewInput {
  readonly query: QueryRef | DraftQuery;
  /** Values of the request as text, by the names that the query binds. */
  readonly args?: Readonly<Record<string, string>>;
  /** The tenant whose rows are read; required where rows belong to tenants. */
  readonly tenant?: string;
}

export interface QueryPreview {
  readonly output: QueryOutputKind;
  readonly response?: QueryResponseShape;
  /** The answer of the route, with at most 500 points. */
  readonly body: Readonly<Record<string, unknown>>;
  /** Whether there are more points than the preview shows. */
  readonly truncated: boolean;
  /** The aggregation that ran. */
  readonly pipeline: readonly unknown[];
  /** The database's explanation of how it runs the query. */
  readonly explain: unknown;
  /** The number of documents that the database read; absent when it does not report that in time. */
  readonly examined?: number;
  /** The index that serves its filters, with the fields in order; absent when only a scan can. */
  readonly index?: { readonly fields: readonly string[]; readonly exists: boolean };
}

export interface QueryBuilder {
  addQuery(pageRef: string, input: AddQueryInput, opts?: EditOptions): Promise<BuilderResult<AddedQuery>>;
  configureQuery(
    query: QueryRef,
    patch: Partial<AddQueryInput>,
    opts?: EditOptions,
  ): Promise<BuilderResult<ConfiguredQuery>>;
  removeQuery(query: QueryRef, opts?: EditOptions): Promise<BuilderResult<RemovedQuery>>;
  getPageStructure(pageRef: string): Promise<BuilderResult<PageStructure>>;
  /** `gone`: aborted when no client reads the answer any more; then the database query ends. */
  previewQuery(input: PreviewInput, gone?: AbortSignal): Promise<BuilderResult<QueryPreview>>;
}

export type { AggregateOp, Bucket, FilterOp, ValueKind };
