/**
 * A resource: a table of a page project with the data types of its fields. Field names are data, so look-ups go through
 * own properties only; whatever holds several values is opaque, because one comparison has no single answer on it.
 */
import { dataTypes, type DataType, type ValueKind } from './vocabulary';

export interface FieldDefinition {
  readonly type: DataType;
  /** The allowed values of a `select`. */
  readonly options?: readonly string[];
  /** Holds an array of values. */
  readonly multiple?: boolean;
  readonly title?: string;
}

/** The field of a row that names its tenant, on tables with `tenantScoped`. */
export const tenantField = 'tenantId';

export type Fields = Readonly<Record<string, FieldDefinition>>;

export interface Resource<F extends Fields = Fields> {
  /** Also the name of its folder and of its collection. */
  readonly name: string;
  readonly title?: string;
  /** Rows belong to tenants; every read is filtered by the caller's tenant. */
  readonly tenantScoped: boolean;
  readonly fields: F;
}

/** Declares a resource in `resources/<name>/resource.ts`. The builder reads the declaration as data, so keep it literal. */
export function defineResource<const F extends Fields>(
  name: string,
  definition: { readonly title?: string; readonly tenantScoped?: boolean; readonly fields: F },
): Resource<F> {
  return Object.freeze({ tenantScoped: false, ...definition, name });
}

/** The kind of value of a field; undefined for a field that the resource does not declare. */
export function kindOf(resource: Resource, field: string): ValueKind | undefined {
  const definition = Object.hasOwn(resource.fields, field) ? resource.fields[field] : undefined;
  if (!definition) return undefined;
  return definition.multiple ? 'opaque' : dataTypes[definition.type];
}

type KindOf<D extends FieldDefinition> = D extends { readonly multiple: true }
  ? 'opaque'
  : (typeof dataTypes)[D['type']];
interface ValueOfKind {
  readonly text: string;
  readonly select: string;
  readonly number: number;
  readonly date: Date;
  readonly boolean: boolean;
  readonly opaque: never;
}

type NamesOf<R extends Resource, Kinds extends ValueKind> = {
  [Name in keyof R['fields'] & string]: KindOf<R['fields'][Name]> extends Kinds ? Name : never;
}[keyof R['fields'] & string];

/** Fields that can be compared. */
export type ComparableName<R extends Resource> = NamesOf<R, Exclude<ValueKind, 'opaque'>>;
export type NumericName<R extends Resource> = NamesOf<R, 'number'>;
/** Fields that can be grouped by; a date only with a bucket. */
export type GroupName<R extends Resource> = ComparableName<R>;
/** What a field is compared with. */
export type ValueOf<R extends Resource, Name extends keyof R['fields']> = ValueOfKind[KindOf<R['fields'][Name]>];
