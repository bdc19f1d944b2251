/** The parts of an OpenAPI 3.1 document that the attacks read. */

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly format?: string;
  readonly example?: unknown;
}

interface Content {
  readonly schema?: Schema;
  readonly examples?: Readonly<Record<string, { readonly value?: unknown }>>;
}

export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly schema?: Schema;
}

export interface Response {
  readonly content?: Readonly<Record<string, Content>>;
}

interface Reference {
  readonly $ref: string;
}

export interface Operation {
  readonly parameters?: readonly (Parameter | Reference)[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Content>> };
  readonly responses?: Readonly<Record<string, Response | Reference>>;
}

export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly 'x-undocumented'?: readonly { readonly method: string; readonly path: string }[];
}

/** What a reference within the document leads to; anything else as it is. */
export function resolveReference<T extends object>(document: OpenApi, given: T | Reference): T {
  if (!('$ref' in given) || given.$ref === undefined) return given as T;
  const found = given.$ref
    .slice(2)
    .split('/')
    .reduce<unknown>((at, key) => (at as Readonly<Record<string, unknown>>)[key], document);
  return resolveReference(document, found as T | Reference);
}
