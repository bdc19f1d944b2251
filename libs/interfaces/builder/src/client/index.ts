// Drawn from the OpenAPI document of the query builder by services/query-builder/src/http/typed-client.int.spec.ts.
import type { BuilderResult } from '../types';

/** Sends one request; `input` is the query of a GET and the JSON body of a POST. How, and with which token, is the caller's. */
export type SendToBuilder = (method: 'GET' | 'POST', path: string, input: unknown, signal?: AbortSignal) => Promise<unknown>;

interface Place {
  readonly method: 'GET' | 'POST';
  readonly path: string;
}

/** An operation by its name: what it takes, and the data that it answers. */
export interface BuilderOperations {
  /** Write a query: a model method and a page route. */
  readonly AddQuery: { readonly input: {
    readonly pageRef: string;
    readonly input: {
      readonly name: string;
      readonly resource: string;
      readonly template: string;
      readonly params?: {
        readonly op?: string;
        readonly field?: string;
        readonly groupBy?: string;
        readonly bucket?: "day" | "month" | "quarter" | "year";
        readonly timezone?: string;
        readonly orderBy?: "group" | "measure";
        readonly direction?: "asc" | "desc";
        readonly limit?: number;
        readonly where?: readonly ({
          readonly field: string;
          readonly op: "eq" | "ne" | "gt" | "ge" | "lt" | "le";
          readonly value: string | number | boolean | {
            readonly $param: {
              readonly name: string;
              readonly in?: "query" | "param";
            };
          };
        })[];
        readonly [other: string]: unknown;
      };
      readonly endpoint?: string;
      readonly response?: "series" | "card" | "value" | "items";
      readonly compare?: boolean;
    };
    readonly expectedVersion?: string;
  }; readonly data: {
    readonly query: string;
    readonly changes: readonly ({
      readonly path: string;
      readonly kind: "created" | "changed";
      readonly diff: string;
    })[];
    readonly route: string;
    readonly notices?: readonly ({
      readonly pointer: string;
      readonly message: string;
    })[];
  } };
  /** Write the change that ProposeAdoption named. */
  readonly AdoptQuery: { readonly input: {
    readonly query: string;
    readonly expectedVersion: string;
  }; readonly data: {
    readonly query: string;
    readonly changes: readonly ({
      readonly path: string;
      readonly kind: "created" | "changed";
      readonly diff: string;
    })[];
  } };
  /** Change a query; what the patch does not name stays. */
  readonly ConfigureQuery: { readonly input: {
    readonly query: string;
    readonly patch: {
      readonly name?: string;
      readonly resource?: string;
      readonly template?: string;
      readonly params?: {
        readonly op?: string;
        readonly field?: string;
        readonly groupBy?: string;
        readonly bucket?: "day" | "month" | "quarter" | "year";
        readonly timezone?: string;
        readonly orderBy?: "group" | "measure";
        readonly direction?: "asc" | "desc";
        readonly limit?: number;
        readonly where?: readonly ({
          readonly field: string;
          readonly op: "eq" | "ne" | "gt" | "ge" | "lt" | "le";
          readonly value: string | number | boolean | {
            readonly $param: {
              readonly name: string;
              readonly in?: "query" | "param";
            };
          };
        })[];
        readonly [other: string]: unknown;
      };
      readonly endpoint?: string | null;
      readonly response?: "series" | "card" | "value" | "items" | null;
      readonly compare?: boolean | null;
    };
    readonly expectedVersion?: string;
  }; readonly data: {
    readonly query: string;
    readonly changes: readonly ({
      readonly path: string;
      readonly kind: "created" | "changed";
      readonly diff: string;
    })[];
    readonly route: string;
    readonly notices?: readonly ({
      readonly pointer: string;
      readonly message: string;
    })[];
  } };
  /** End a draft. */
  readonly DiscardDraft: { readonly input: {
    readonly id: string;
  }; readonly data: {
    readonly id: string;
  } };
  /** The queries of a page as its source says them now. */
  readonly GetPageStructure: { readonly input: { readonly pageRef: string }; readonly data: {
    readonly pageRef: string;
    readonly version: string;
    readonly queries: readonly ({
      readonly name: string;
      readonly endpoint: string;
      readonly resource?: string;
      readonly modelMethod?: string;
      readonly output?: "scalar" | "series";
      readonly template?: string;
      readonly params?: Readonly<Record<string, unknown>>;
      readonly response?: "series" | "card" | "value" | "items";
      readonly compare?: boolean;
      readonly routeParams: readonly ({
        readonly name: string;
        readonly in: "query" | "param" | "header";
      })[];
      readonly opaque: boolean;
      readonly opaqueReason?: "unparseable_route" | "unparseable_chain";
      readonly opaqueDetail?: string;
      readonly opaqueAt?: {
        readonly file: string;
        readonly line: number;
        readonly column: number;
      };
    })[];
  } };
  /** Propose a resource from the newest documents of a collection. */
  readonly Introspect: { readonly input: {
    readonly collection: string;
    readonly name?: string;
    readonly tenantField?: string;
  }; readonly data: {
    readonly resource?: {
      readonly name: string;
      readonly title: string;
      readonly collection?: string;
      readonly view?: boolean;
      readonly tenantScoped: boolean;
      readonly tenantField?: string;
      readonly fields: readonly ({
        readonly name: string;
        readonly type: "string" | "email" | "url" | "phone" | "rich_text" | "select" | "relation" | "number" | "price" | "percentage" | "date" | "boolean" | "address" | "file" | "image" | "permissions";
        readonly options?: readonly (string)[];
        readonly multiple?: boolean;
        readonly path?: string;
        readonly stored?: "objectId" | "decimal";
      })[];
    };
    readonly notes: readonly (string)[];
  } };
  /** The save that can be taken back now. */
  readonly LastSave: { readonly input: {  }; readonly data: {
    readonly save?: {
      readonly query: string;
      readonly savedAt: string;
    };
  } };
  /** Queries that no page serves yet. */
  readonly ListDrafts: { readonly input: {  }; readonly data: {
    readonly drafts: readonly ({
      readonly id: string;
      readonly revision: number;
      readonly pageRef: string;
      readonly input: {
        readonly name?: string;
        readonly resource?: string;
        readonly template?: string;
        readonly params?: {
          readonly op?: string;
          readonly field?: string;
          readonly groupBy?: string;
          readonly bucket?: "day" | "month" | "quarter" | "year";
          readonly timezone?: string;
          readonly orderBy?: "group" | "measure";
          readonly direction?: "asc" | "desc";
          readonly limit?: number;
          readonly where?: readonly ({
            readonly field: string;
            readonly op: "eq" | "ne" | "gt" | "ge" | "lt" | "le";
            readonly value: string | number | boolean | {
              readonly $param: {
                readonly name: string;
                readonly in?: "query" | "param";
              };
            };
          })[];
          readonly [other: string]: unknown;
        };
        readonly endpoint?: string;
        readonly response?: "series" | "card" | "value" | "items";
        readonly compare?: boolean;
        readonly [other: string]: unknown;
      };
      readonly author: string;
      readonly savedAt: string;
    })[];
  } };
  /** The pages of the project. */
  readonly ListPages: { readonly input: {  }; readonly data: {
    readonly pages: readonly (string)[];
  } };
  /** The templates that queries are made from, at this moment. */
  readonly ListQueryTemplates: { readonly input: { readonly resourceType?: "database-table" }; readonly data: readonly ({
    readonly id: string;
    readonly resourceType: "database-table";
    readonly title: string;
    readonly description: string;
    readonly output: "scalar" | "series";
    readonly params: Readonly<Record<string, unknown>>;
    readonly schema: Readonly<Record<string, unknown>>;
  })[] };
  /** The resources of the project with their fields and data types. */
  readonly ListResources: { readonly input: {  }; readonly data: {
    readonly resources: readonly ({
      readonly name: string;
      readonly collection?: string;
      readonly tenantScoped: boolean;
      readonly tenantField?: string;
      readonly fields: readonly ({
        readonly name: string;
        readonly type: string;
        readonly options?: readonly (string)[];
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
      })[];
    } | {
      readonly name: string;
      readonly error: {
        readonly file: string;
        readonly line: number;
        readonly message: string;
      };
    })[];
  } };
  /** Make a page without queries. */
  readonly NewPage: { readonly input: {
    readonly pageRef: string;
    readonly title: string;
    readonly permission: string;
  }; readonly data: {
    readonly changes: readonly ({
      readonly path: string;
      readonly kind: "created" | "changed";
      readonly diff: string;
    })[];
  } };
  /** Declare a resource and its model. */
  readonly NewResource: { readonly input: {
    readonly name: string;
    readonly title: string;
    readonly collection?: string;
    readonly view?: boolean;
    readonly tenantScoped: boolean;
    readonly tenantField?: string;
    readonly fields: readonly ({
      readonly name: string;
      readonly type: "string" | "email" | "url" | "phone" | "rich_text" | "select" | "relation" | "number" | "price" | "percentage" | "date" | "boolean" | "address" | "file" | "image" | "permissions";
      readonly options?: readonly (string)[];
      readonly multiple?: boolean;
      readonly path?: string;
      readonly stored?: "objectId" | "decimal";
    })[];
  }; readonly data: {
    readonly changes: readonly ({
      readonly path: string;
      readonly kind: "created" | "changed";
      readonly diff: string;
    })[];
  } };
  /** Run a query, written or not, without writing anything. */
  readonly PreviewQuery: { readonly input: {
    readonly query: string | {
      readonly name?: string;
      readonly resource: string;
      readonly template: string;
      readonly params?: {
        readonly op?: string;
        readonly field?: string;
        readonly groupBy?: string;
        readonly bucket?: "day" | "month" | "quarter" | "year";
        readonly timezone?: string;
        readonly orderBy?: "group" | "measure";
        readonly direction?: "asc" | "desc";
        readonly limit?: number;
        readonly where?: readonly ({
          readonly field: string;
          readonly op: "eq" | "ne" | "gt" | "ge" | "lt" | "le";
          readonly value: string | number | boolean | {
            readonly $param: {
              readonly name: string;
              readonly in?: "query" | "param";
            };
          };
        })[];
        readonly [other: string]: unknown;
      };
      readonly endpoint?: string;
      readonly response?: "series" | "card" | "value" | "items";
      readonly compare?: boolean;
    };
    readonly args?: Readonly<Record<string, unknown>>;
    readonly tenant?: string;
  }; readonly data: {
    readonly output: "scalar" | "series";
    readonly response?: "series" | "card" | "value" | "items";
    readonly body: Readonly<Record<string, unknown>>;
    readonly truncated: boolean;
    readonly pipeline: readonly (Readonly<Record<string, unknown>>)[];
    readonly explain: unknown;
    readonly index?: {
      readonly fields: readonly (string)[];
      readonly exists: boolean;
    };
  } };
  /** The smallest change that makes an opaque query editable again. */
  readonly ProposeAdoption: { readonly input: { readonly query: string }; readonly data: {
    readonly changes: readonly ({
      readonly path: string;
      readonly kind: "created" | "changed";
      readonly diff: string;
    })[];
    readonly files: readonly ({
      readonly path: string;
      readonly before: string;
      readonly text: string;
    })[];
    readonly possible: boolean;
    readonly version: string;
  } };
  /** Write the query of a draft, and end the draft. */
  readonly PublishDraft: { readonly input: {
    readonly id: string;
    readonly expectedVersion?: string;
  }; readonly data: {
    readonly query: string;
    readonly changes: readonly ({
      readonly path: string;
      readonly kind: "created" | "changed";
      readonly diff: string;
    })[];
    readonly route: string;
    readonly notices?: readonly ({
      readonly pointer: string;
      readonly message: string;
    })[];
  } };
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
  readonly RemoveQuery: { readonly input: {
    readonly query: string;
    readonly expectedVersion?: string;
  }; readonly data: {
    readonly query: string;
    readonly changes: readonly ({
      readonly path: string;
      readonly kind: "created" | "changed";
      readonly diff: string;
    })[];
  } };
  /** What an edit would write, whole files before and after, without writing. */
  readonly ReviewEdit: { readonly input: {
    readonly edit: {
      readonly kind: "add";
      readonly pageRef: string;
      readonly input: {
        readonly name: string;
        readonly resource: string;
        readonly template: string;
        readonly params?: {
          readonly op?: string;
          readonly field?: string;
          readonly groupBy?: string;
          readonly bucket?: "day" | "month" | "quarter" | "year";
          readonly timezone?: string;
          readonly orderBy?: "group" | "measure";
          readonly direction?: "asc" | "desc";
          readonly limit?: number;
          readonly where?: readonly ({
            readonly field: string;
            readonly op: "eq" | "ne" | "gt" | "ge" | "lt" | "le";
            readonly value: string | number | boolean | {
              readonly $param: {
                readonly name: string;
                readonly in?: "query" | "param";
              };
            };
          })[];
          readonly [other: string]: unknown;
        };
        readonly endpoint?: string;
        readonly response?: "series" | "card" | "value" | "items";
        readonly compare?: boolean;
      };
    } | {
      readonly kind: "configure";
      readonly query: string;
      readonly patch: {
        readonly name?: string;
        readonly resource?: string;
        readonly template?: string;
        readonly params?: {
          readonly op?: string;
          readonly field?: string;
          readonly groupBy?: string;
          readonly bucket?: "day" | "month" | "quarter" | "year";
          readonly timezone?: string;
          readonly orderBy?: "group" | "measure";
          readonly direction?: "asc" | "desc";
          readonly limit?: number;
          readonly where?: readonly ({
            readonly field: string;
            readonly op: "eq" | "ne" | "gt" | "ge" | "lt" | "le";
            readonly value: string | number | boolean | {
              readonly $param: {
                readonly name: string;
                readonly in?: "query" | "param";
              };
            };
          })[];
          readonly [other: string]: unknown;
        };
        readonly endpoint?: string | null;
        readonly response?: "series" | "card" | "value" | "items" | null;
        readonly compare?: boolean | null;
      };
    } | {
      readonly kind: "remove";
      readonly query: string;
    };
    readonly expectedVersion?: string;
  }; readonly data: {
    readonly changes: readonly ({
      readonly path: string;
      readonly kind: "created" | "changed";
      readonly diff: string;
    })[];
    readonly files: readonly ({
      readonly path: string;
      readonly before: string;
      readonly text: string;
    })[];
  } };
  /** Keep a query as a draft; without an id a new one. */
  readonly SaveDraft: { readonly input: {
    readonly id?: string;
    readonly revision?: number;
    readonly pageRef: string;
    readonly input: {
      readonly name?: string;
      readonly resource?: string;
      readonly template?: string;
      readonly params?: {
        readonly op?: string;
        readonly field?: string;
        readonly groupBy?: string;
        readonly bucket?: "day" | "month" | "quarter" | "year";
        readonly timezone?: string;
        readonly orderBy?: "group" | "measure";
        readonly direction?: "asc" | "desc";
        readonly limit?: number;
        readonly where?: readonly ({
          readonly field: string;
          readonly op: "eq" | "ne" | "gt" | "ge" | "lt" | "le";
          readonly value: string | number | boolean | {
            readonly $param: {
              readonly name: string;
              readonly in?: "query" | "param";
            };
          };
        })[];
        readonly [other: string]: unknown;
      };
      readonly endpoint?: string;
      readonly response?: "series" | "card" | "value" | "items";
      readonly compare?: boolean;
    };
  }; readonly data: {
    readonly id: string;
    readonly revision: number;
    readonly pageRef: string;
    readonly input: {
      readonly name?: string;
      readonly resource?: string;
      readonly template?: string;
      readonly params?: {
        readonly op?: string;
        readonly field?: string;
        readonly groupBy?: string;
        readonly bucket?: "day" | "month" | "quarter" | "year";
        readonly timezone?: string;
        readonly orderBy?: "group" | "measure";
        readonly direction?: "asc" | "desc";
        readonly limit?: number;
        readonly where?: readonly ({
          readonly field: string;
          readonly op: "eq" | "ne" | "gt" | "ge" | "lt" | "le";
          readonly value: string | number | boolean | {
            readonly $param: {
              readonly name: string;
              readonly in?: "query" | "param";
            };
          };
        })[];
        readonly [other: string]: unknown;
      };
      readonly endpoint?: string;
      readonly response?: "series" | "card" | "value" | "items";
      readonly compare?: boolean;
      readonly [other: string]: unknown;
    };
    readonly author: string;
    readonly savedAt: string;
  } };
  /** Take the last save back, while its files are what it wrote. */
  readonly UndoSave: { readonly input: Readonly<Record<string, never>>; readonly data: {
    readonly changes: readonly ({
      readonly path: string;
      readonly kind: "created" | "changed";
      readonly diff: string;
    })[];
    readonly query: string;
  } };
  /** Take a query from its readers and keep it as a draft. */
  readonly UnpublishQuery: { readonly input: {
    readonly query: string;
    readonly expectedVersion?: string;
  }; readonly data: {
    readonly id: string;
    readonly revision: number;
    readonly pageRef: string;
    readonly input: {
      readonly name?: string;
      readonly resource?: string;
      readonly template?: string;
      readonly params?: {
        readonly op?: string;
        readonly field?: string;
        readonly groupBy?: string;
        readonly bucket?: "day" | "month" | "quarter" | "year";
        readonly timezone?: string;
        readonly orderBy?: "group" | "measure";
        readonly direction?: "asc" | "desc";
        readonly limit?: number;
        readonly where?: readonly ({
          readonly field: string;
          readonly op: "eq" | "ne" | "gt" | "ge" | "lt" | "le";
          readonly value: string | number | boolean | {
            readonly $param: {
              readonly name: string;
              readonly in?: "query" | "param";
            };
          };
        })[];
        readonly [other: string]: unknown;
      };
      readonly endpoint?: string;
      readonly response?: "series" | "card" | "value" | "items";
      readonly compare?: boolean;
      readonly [other: string]: unknown;
    };
    readonly author: string;
    readonly savedAt: string;
  } };
}

const places = {
  AddQuery: { method: 'POST', path: '/api/builder/AddQuery' },
  AdoptQuery: { method: 'POST', path: '/api/builder/AdoptQuery' },
  ConfigureQuery: { method: 'POST', path: '/api/builder/ConfigureQuery' },
  DiscardDraft: { method: 'POST', path: '/api/builder/DiscardDraft' },
  GetPageStructure: { method: 'GET', path: '/api/builder/GetPageStructure' },
  Introspect: { method: 'POST', path: '/api/builder/Introspect' },
  LastSave: { method: 'GET', path: '/api/builder/LastSave' },
  ListDrafts: { method: 'GET', path: '/api/builder/ListDrafts' },
  ListPages: { method: 'GET', path: '/api/builder/ListPages' },
  ListQueryTemplates: { method: 'GET', path: '/api/builder/ListQueryTemplates' },
  ListResources: { method: 'GET', path: '/api/builder/ListResources' },
  NewPage: { method: 'POST', path: '/api/builder/NewPage' },
  NewResource: { method: 'POST', path: '/api/builder/NewResource' },
  PreviewQuery: { method: 'POST', path: '/api/builder/PreviewQuery' },
  ProposeAdoption: { method: 'GET', path: '/api/builder/ProposeAdoption' },
  PublishDraft: { method: 'POST', path: '/api/builder/PublishDraft' },
  QueryHistory: { method: 'GET', path: '/api/builder/QueryHistory' },
  RemoveQuery: { method: 'POST', path: '/api/builder/RemoveQuery' },
  ReviewEdit: { method: 'POST', path: '/api/builder/ReviewEdit' },
  SaveDraft: { method: 'POST', path: '/api/builder/SaveDraft' },
  UndoSave: { method: 'POST', path: '/api/builder/UndoSave' },
  UnpublishQuery: { method: 'POST', path: '/api/builder/UnpublishQuery' },
} as const satisfies Readonly<Record<keyof BuilderOperations, Place>>;

/** Asks an operation by its name. Answers what it answered, data or refusal; throws what `send` throws. */
export type AskBuilder = <Name extends keyof BuilderOperations>(
  name: Name,
  input: BuilderOperations[Name]['input'],
  signal?: AbortSignal,
) => Promise<BuilderResult<BuilderOperations[Name]['data']>>;

export function createBuilderClient(send: SendToBuilder): AskBuilder {
  return async (name, input, signal) => {
    const body = await send(places[name].method, places[name].path, input, signal);
    return body as BuilderResult<BuilderOperations[typeof name]['data']>;
  };
}
