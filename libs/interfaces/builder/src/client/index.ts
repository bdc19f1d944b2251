// Drawn from the OpenAPI document of the query builder by services/query-builder/src/http/typed-client.int.spec.ts.
import type { BuilderResult } from '../types';

/** Sends one request; `input` is the query of a GET and the JSON body of a POST. How, and with which token, is the caller's. */
export type SendToBuilder = (method: 'GET' | 'POST', path: string, input: unknown, signal?: AbortSignal) => Promise<unknown>;

/** A value that each request supplies. */
export type Binding = { readonly $param: { readonly name: string; readonly in?: "query" | "param" } };

export type BrokenResource = { readonly name: string; readonly error: { readonly file: string; readonly line: number; readonly message: string } };

export type Draft = {
  readonly id: string;
  readonly revision: number;
  readonly pageRef: string;
  readonly input: DraftInput;
  readonly author: string;
  readonly savedAt: string;
};

/** Parts of a query; they are checked when they are previewed or published. */
export type DraftInput = {
  readonly name?: string;
  readonly resource?: string;
  readonly template?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly endpoint?: string;
  readonly response?: ResponseShape;
  readonly compare?: boolean;
};

export type FileChange = { readonly path: string; readonly kind: "created" | "changed"; readonly diff: string };

export type Filter = {
  readonly field: string;
  readonly op: "eq" | "ne" | "gt" | "ge" | "lt" | "le";
  readonly value: string | number | boolean | Binding;
};

export type ListedField = {
  readonly name: string;
  readonly type: string;
  readonly options?: readonly string[];
  readonly multiple?: boolean;
  readonly kind: "text" | "select" | "number" | "date" | "boolean" | "opaque";
  readonly ops: readonly ("eq" | "ne" | "gt" | "ge" | "lt" | "le")[];
  readonly path?: string;
  readonly stored?: "objectId" | "decimal";
  readonly labels?: {
    readonly from: string;
    readonly key?: string;
    readonly field: string;
    readonly tenantField?: string;
    readonly shared?: boolean;
  };
};

export type LoadedResource = {
  readonly name: string;
  readonly collection?: string;
  readonly tenantScoped: boolean;
  readonly tenantField?: string;
  readonly fields: readonly ListedField[];
};

export type NewField = {
  readonly name: string;
  readonly type: "string" | "email" | "url" | "phone" | "rich_text" | "select" | "relation" | "number" | "price" | "percentage" | "date" | "boolean" | "address" | "file" | "image" | "permissions";
  readonly options?: readonly string[];
  readonly multiple?: boolean;
  readonly path?: string;
  readonly stored?: "objectId" | "decimal";
};

export type NewResource = {
  readonly name: string;
  readonly title: string;
  readonly collection?: string;
  readonly view?: boolean;
  readonly tenantScoped: boolean;
  readonly tenantField?: string;
  readonly fields: readonly NewField[];
};

export type PageStructure = { readonly pageRef: string; readonly version: string; readonly queries: readonly ReadQuery[] };

export type QueryInput = {
  readonly name: string;
  readonly resource: string;
  readonly template: string;
  readonly params?: TemplateParams;
  readonly endpoint?: string;
  readonly response?: ResponseShape;
  readonly compare?: boolean;
};

export type QueryPatch = {
  readonly name?: string;
  readonly resource?: string;
  readonly template?: string;
  readonly params?: TemplateParams;
  readonly endpoint?: string | null;
  readonly response?: ResponseShape | null;
  readonly compare?: boolean | null;
};

export type QueryPreview = {
  readonly output: "scalar" | "series";
  readonly response?: ResponseShape;
  readonly body: Readonly<Record<string, unknown>>;
  readonly truncated: boolean;
  readonly pipeline: readonly (Readonly<Record<string, unknown>>)[];
  readonly explain: unknown;
  readonly examined?: number;
  readonly index?: { readonly fields: readonly string[]; readonly exists: boolean };
};

export type ReadQuery = {
  readonly name: string;
  readonly endpoint: string;
  readonly resource?: string;
  readonly modelMethod?: string;
  readonly output?: "scalar" | "series";
  readonly template?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly response?: ResponseShape;
  readonly compare?: boolean;
  readonly routeParams: readonly ({ readonly name: string; readonly in: "query" | "param" | "header" })[];
  readonly opaque: boolean;
  readonly opaqueReason?: "unparseable_route" | "unparseable_chain";
  readonly opaqueDetail?: string;
  readonly opaqueAt?: { readonly file: string; readonly line: number; readonly column: number };
  readonly uncertified?: string;
};

export type RemovedQuery = { readonly query: string; readonly changes: readonly FileChange[] };

export type ResponseShape = "series" | "card" | "value" | "items";

export type ReviewedFile = { readonly path: string; readonly before: string; readonly text: string };

export type TemplateDescriptor = {
  readonly id: string;
  readonly resourceType: "database-table";
  readonly title: string;
  readonly description: string;
  readonly output: "scalar" | "series";
  readonly params: Readonly<Record<string, unknown>>;
  readonly schema: Readonly<Record<string, unknown>>;
};

/** Parameters that the template declares (GET /api/builder/ListQueryTemplates). */
export type TemplateParams = {
  readonly op?: string;
  readonly field?: string;
  readonly groupBy?: string;
  readonly bucket?: "day" | "month" | "quarter" | "year";
  readonly timezone?: string;
  readonly orderBy?: "group" | "measure";
  readonly direction?: "asc" | "desc";
  readonly limit?: number;
  readonly where?: readonly Filter[];
  readonly [other: string]: unknown;
};

/** A draft. */
export type UnnamedQuery = {
  readonly name?: string;
  readonly resource: string;
  readonly template: string;
  readonly params?: TemplateParams;
  readonly endpoint?: string;
  readonly response?: ResponseShape;
  readonly compare?: boolean;
};

export type WrittenQuery = {
  readonly query: string;
  readonly changes: readonly FileChange[];
  readonly route: string;
  readonly notices?: readonly ({ readonly pointer: string; readonly message: string })[];
};

/** An operation by its name: what it takes, and the data that it answers. */
export interface BuilderOperations {
  /** Write a query: a model method and a page route. */
  readonly AddQuery: { readonly input: { readonly pageRef: string; readonly input: QueryInput; readonly expectedVersion?: string }; readonly data: WrittenQuery };
  /** Write the change that ProposeAdoption named. */
  readonly AdoptQuery: { readonly input: { readonly query: string; readonly expectedVersion: string }; readonly data: RemovedQuery };
  /** Change a query; what the patch does not name stays. */
  readonly ConfigureQuery: { readonly input: { readonly query: string; readonly patch: QueryPatch; readonly expectedVersion?: string }; readonly data: WrittenQuery };
  /** End a draft. */
  readonly DiscardDraft: { readonly input: { readonly id: string; readonly revision?: number }; readonly data: { readonly id: string } };
  /** The queries of a page as its source says them now. */
  readonly GetPageStructure: { readonly input: { readonly pageRef: string }; readonly data: PageStructure };
  /** Propose a resource from the newest documents of a collection. */
  readonly Introspect: { readonly input: { readonly collection: string; readonly name?: string; readonly tenantField?: string }; readonly data: {
    readonly resource?: {
      readonly name: string;
      readonly title: string;
      readonly collection?: string;
      readonly view?: boolean;
      readonly tenantScoped: boolean;
      readonly tenantField?: string;
      readonly fields: readonly NewField[];
    };
    readonly notes: readonly string[];
  } };
  /** The save that can be undone now. */
  readonly LastSave: { readonly input: Readonly<Record<string, never>>; readonly data: { readonly save?: { readonly query: string; readonly savedAt: string } } };
  /** Queries that no page serves yet. */
  readonly ListDrafts: { readonly input: Readonly<Record<string, never>>; readonly data: { readonly drafts: readonly Draft[] } };
  /** The pages of the project. */
  readonly ListPages: { readonly input: Readonly<Record<string, never>>; readonly data: { readonly pages: readonly string[] } };
  /** The templates that queries are made from, at this moment. */
  readonly ListQueryTemplates: { readonly input: { readonly resourceType?: "database-table" }; readonly data: readonly TemplateDescriptor[] };
  /** The resources of the project with their fields and data types. */
  readonly ListResources: { readonly input: Readonly<Record<string, never>>; readonly data: { readonly resources: readonly (LoadedResource | BrokenResource)[] } };
  /** Make a page without queries. */
  readonly NewPage: { readonly input: { readonly pageRef: string; readonly title: string; readonly permission: string }; readonly data: { readonly changes: readonly FileChange[] } };
  /** Declare a resource and its model. */
  readonly NewResource: { readonly input: NewResource; readonly data: { readonly changes: readonly FileChange[] } };
  /** Run a query, written or not, without writing anything. */
  readonly PreviewQuery: { readonly input: { readonly query: string | UnnamedQuery; readonly args?: Readonly<Record<string, unknown>>; readonly tenant?: string }; readonly data: QueryPreview };
  /** The smallest change that makes an opaque query editable again. */
  readonly ProposeAdoption: { readonly input: { readonly query: string }; readonly data: {
    readonly changes: readonly FileChange[];
    readonly files: readonly ReviewedFile[];
    readonly possible: boolean;
    readonly version: string;
  } };
  /** Write the query of a draft, and end the draft. */
  readonly PublishDraft: { readonly input: { readonly id: string; readonly revision?: number; readonly expectedVersion?: string }; readonly data: WrittenQuery };
  /** Commits of the project's own git that changed a query. */
  readonly QueryHistory: { readonly input: { readonly query: string }; readonly data: {
    readonly versioned: boolean;
    readonly commits: readonly ({
      readonly commit: string;
      readonly author: string;
      readonly at: string;
      readonly subject: string;
      readonly diff: string;
    })[];
  } };
  /** Remove a query, opaque or not. */
  readonly RemoveQuery: { readonly input: { readonly query: string; readonly expectedVersion?: string }; readonly data: RemovedQuery };
  /** What an edit would write, whole files before and after, without writing. */
  readonly ReviewEdit: { readonly input: {
    readonly edit: { readonly kind: "add"; readonly pageRef: string; readonly input: QueryInput } | { readonly kind: "configure"; readonly query: string; readonly patch: QueryPatch } | { readonly kind: "remove"; readonly query: string };
    readonly expectedVersion?: string;
  }; readonly data: { readonly changes: readonly FileChange[]; readonly files: readonly ReviewedFile[] } };
  /** Keep a query as a draft; without an id a new one. */
  readonly SaveDraft: { readonly input: { readonly id?: string; readonly revision?: number; readonly pageRef: string; readonly input: DraftInput }; readonly data: Draft };
  /** Take the last save back, while its files are what it wrote. */
  readonly UndoSave: { readonly input: { readonly savedAt?: string }; readonly data: { readonly changes: readonly FileChange[]; readonly query: string } };
  /** Take a query from its readers and keep it as a draft. */
  readonly UnpublishQuery: { readonly input: { readonly query: string; readonly expectedVersion?: string }; readonly data: Draft };
}

/** Operations that read; all others are posted. */
const reads: ReadonlySet<string> = new Set<keyof BuilderOperations>(['GetPageStructure', 'LastSave', 'ListDrafts', 'ListPages', 'ListQueryTemplates', 'ListResources', 'ProposeAdoption', 'QueryHistory']);

/** Asks an operation by its name. Answers what it answered, data or refusal; throws what `send` throws. */
export type AskBuilder = <Name extends keyof BuilderOperations>(
  name: Name,
  input: BuilderOperations[Name]['input'],
  signal?: AbortSignal,
) => Promise<BuilderResult<BuilderOperations[Name]['data']>>;

export function createBuilderClient(send: SendToBuilder): AskBuilder {
  return async (name, input, signal) => {
    const body = await send(reads.has(name) ? 'GET' : 'POST', `/api/builder/${name}`, input, signal);
    return body as BuilderResult<BuilderOperations[typeof name]['data']>;
  };
}
