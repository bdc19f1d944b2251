/**
 * A resource: a table of a page project with the data types of its fields. Field names are data, so look-ups use only
 * own properties. A field with several values is opaque, because a comparison with it has no single answer.
 */
import { dataTypes, type DataType, type ValueKind } from './vocabulary';

export interface FieldDefinition {
  readonly type: DataType;
  /** The allowed values of a `select`. */
  readonly options?: readonly string[];
  /** The field contains an array of values. */
  readonly multiple?: boolean;
  readonly title?: string;
  /** The field's place in a row: a dotted path into the document. Absent: the field's name. */
  readonly path?: string;
  /**
   * The stored form, where the type does not determine it: values are compared in this form, and ids are returned as
   * their 24 digits.
   */
  readonly stored?: StoredAs;
  /** For a field that refers to other rows: the text that people read instead of the reference. */
  readonly labels?: Labels;
}

export const storedForms = ['objectId', 'decimal'] as const;
export type StoredAs = (typeof storedForms)[number];

/** The rows to which the values of a field refer. Where rows belong to tenants, only the caller's own supply labels. */
export interface Labels {
  /** Collection of the rows referred to. */
  readonly from: string;
  /** Path that must equal the value. Absent: `_id`. */
  readonly key?: string;
  /** Path of the text that people read. */
  readonly field: string;
  /** Path of the tenant in such a row. Absent: `tenantId`. */
  readonly tenantField?: string;
  /** True when the rows belong to no tenant, for example countries. */
  readonly shared?: boolean;
}

/** The field with a row's tenant, on tables with `tenantScoped` that name no other. */
export const tenantField = 'tenantId';

export type Fields = Readonly<Record<string, FieldDefinition>>;

export interface Resource<F extends Fields = Fields> {
  /** The name of the resource and of its folder. */
  readonly name: string;
  readonly title?: string;
  /** Collection or view that holds the rows. Absent: the name. */
  readonly collection?: string;
  /** True when the rows come from a view of the database, on which no index can be created. */
  readonly view?: boolean;
  /** Rows belong to tenants; every read is filtered by the caller's tenant. */
  readonly tenantScoped: boolean;
  /** Path of the tenant in a row. Absent: `tenantId`. */
  readonly tenantField?: string;
  readonly fields: F;
}

type Definition<F extends Fields> = Omit<Resource<F>, 'name' | 'tenantScoped'> & { readonly tenantScoped?: boolean };

/**
 * Declares a resource in `resources/<name>/resource.ts`. The builder reads the declaration as data, so keep it literal.
 * Throws RangeError for a mapping that the database would interpret differently.
 */
export function defineResource<const F extends Fields>(name: string, definition: Definition<F>): Resource<F> {
  const resource = { tenantScoped: false, ...definition, name };
  const fault = mappingFault(resource);
  if (fault !== undefined) throw new RangeError(`the resource ${name}: ${fault}`);
  return Object.freeze(resource);
}

const path = /^[^.$\0]+(\.[^.$\0]+)*$/;
const collection = /^(?!system\.)[^.$\0][^$\0]{0,119}$/;

/** What is wrong with a resource's mapping to its rows; undefined when nothing is. */
export function mappingFault(resource: Resource): string | undefined {
  const pathFault = (where: string, given: unknown): string[] =>
    given === undefined || (typeof given === 'string' && path.test(given)) ? [] : [`${where} is no path of a document`];
  const nameFault = (where: string, given: unknown): string[] =>
    given === undefined || (typeof given === 'string' && collection.test(given))
      ? []
      : [`${where} names no collection`];
  const faults = Object.entries(resource.fields).flatMap(([name, { path: own, stored, type, labels }]) => [
    ...pathFault(`the path of ${name}`, own),
    ...(stored === 'objectId' && dataTypes[type] !== 'text' ? [`${name} is an id, which only a text can be`] : []),
    ...(stored === 'decimal' && dataTypes[type] !== 'number' ? [`${name} is a decimal and no number`] : []),
    ...(stored !== undefined && !storedForms.includes(stored) ? [`${name} is stored in no known form`] : []),
    ...(labels === undefined
      ? []
      : [
          ...nameFault(`the labels of ${name}`, labels.from ?? null),
          ...pathFault(`the labels of ${name}`, labels.field ?? null),
          ...pathFault(`the labels of ${name}`, labels.key),
          ...pathFault(`the labels of ${name}`, labels.tenantField),
        ]),
  ]);
  return [...nameFault('it', resource.collection), ...pathFault('its tenant', resource.tenantField), ...faults][0];
}

/** The collection or view with the rows. */
export function collectionOf({ collection: own, name }: Resource): string {
  return own ?? name;
}

/** The path of the tenant in a row. */
export function tenantPathOf(resource: Resource): string {
  return resource.tenantField ?? tenantField;
}

/** The path of a declared field in a row. */
export function pathOf(resource: Resource, field: string): string {
  return (Object.hasOwn(resource.fields, field) ? resource.fields[field]?.path : undefined) ?? field;
}

/** Whether rows have the shape of another system, and not that of a page project which owns them. */
export function isMapped({ collection: own, tenantField: tenant, view, fields }: Resource): boolean {
  return (
    own !== undefined ||
    tenant !== undefined ||
    view === true ||
    Object.values(fields).some(({ path: at, stored }) => at !== undefined || stored !== undefined)
  );
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
/** Fields by which rows can be grouped; a date only with a bucket. */
export type GroupName<R extends Resource> = ComparableName<R>;
/** The type with which a field is compared. */
export type ValueOf<R extends Resource, Name extends keyof R['fields']> = ValueOfKind[KindOf<R['fields'][Name]>];
