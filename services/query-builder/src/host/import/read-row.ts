/**
 * Turns a record of a file into a row of a resource, or into the reasons for its refusal. Values are checked like those
 * of requests; nothing is guessed.
 */
import { keptNumbers, lostNumberIn } from '@platform/kernel';
import { asBoolean, asDate, asNumber, BadValueError, kindOf, tenantField, type Resource } from '@platform/page-runtime';

/** Texts of a CSV record, or values of a JSON object. */
export type FileRecord = Readonly<Record<string, unknown>>;

export type ReadRow =
  | { readonly kind: 'row'; readonly row: Readonly<Record<string, unknown>> }
  | { readonly kind: 'refused'; readonly reasons: readonly string[] };

export interface RowRules {
  readonly resource: Resource;
  /** The tenant of all rows; without it each row must name its own, where rows belong to tenants. */
  readonly tenantId?: string | undefined;
  /** Values are texts, and an empty text means that the field is missing. */
  readonly texts: boolean;
}

/** Columns without a field. */
export function unknownColumns(columns: readonly string[], { resource, tenantId }: RowRules): string[] {
  return columns.filter((column) => !isKnown(column, resource, tenantId));
}

function isKnown(column: string, resource: Resource, tenantId: string | undefined): boolean {
  return (
    column === '_id' ||
    (column === tenantField && resource.tenantScoped && tenantId === undefined) ||
    kindOf(resource, column) !== undefined
  );
}

export function readRow(record: FileRecord, { resource, tenantId, texts }: RowRules): ReadRow {
  const reasons: string[] = [];
  const row: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(record)) {
    if (value === null || value === undefined || (texts && value === '')) continue;
    if (isLossy(value)) reasons.push(`${name} is no UTF-8 text: save the file in this encoding`);
    else if (!isKnown(name, resource, tenantId))
      reasons.push(`${JSON.stringify(name)} is no field of ${resource.name}`);
    else if (name === '_id' || name === tenantField) {
      if (typeof value === 'string' && value !== '' && value.length <= 200) row[name] = value;
      else reasons.push(`${name} must be a text of 1 to 200 characters`);
    } else {
      const read = valueOf(resource, name, value, texts);
      if ('reason' in read) reasons.push(`${name} ${read.reason}`);
      else row[name] = read.value;
    }
  }
  if (resource.tenantScoped) {
    if (tenantId !== undefined) row[tenantField] = tenantId;
    else if (row[tenantField] === undefined)
      reasons.push(`the row names no tenant, in ${tenantField} or for all rows by --tenant`);
  }
  return reasons.length > 0 ? { kind: 'refused', reasons } : { kind: 'row', row };
}

/** Whether bytes of the file were read as U+FFFD, the character that takes the place of what is no UTF-8. */
function isLossy(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('\ufffd');
  return typeof value === 'object' && value !== null && Object.values(value).some(isLossy);
}

type ReadValue = { readonly value: unknown } | { readonly reason: string };

function valueOf(resource: Resource, name: string, value: unknown, texts: boolean): ReadValue {
  const kind = kindOf(resource, name)!;
  const text = typeof value === 'string' ? value : undefined;
  try {
    switch (kind) {
      case 'number':
        if (!texts)
          return typeof value === 'number' && Number.isFinite(value) ? { value } : { reason: 'must be a number' };
        return { value: asNumber(String(value)) };
      case 'boolean':
        if (!texts) return typeof value === 'boolean' ? { value } : { reason: 'must be true or false' };
        return { value: asBoolean(String(value)) };
      case 'date':
        return text === undefined ? { reason: 'must be a date as text' } : { value: new Date(asDate(text).getTime()) };
      case 'text':
        return text === undefined ? { reason: 'must be a text' } : { value: text };
      case 'select': {
        const options = resource.fields[name]!.options;
        return text !== undefined && (!options || options.includes(text))
          ? { value: text }
          : { reason: `must be one of ${(options ?? []).join(', ')}` };
      }
      case 'opaque':
        return opaqueOf(value, resource.fields[name]!.multiple === true, texts);
    }
  } catch (error) {
    if (error instanceof BadValueError) return { reason: `must be ${error.expected}` };
    throw error;
  }
}

/** Why a record with a number that loses digits is refused. */
export function lostNumber(number: string): string {
  return `the number ${number} does not keep its digits: ${keptNumbers}`;
}

function opaqueOf(value: unknown, multiple: boolean, texts: boolean): ReadValue {
  const read = texts ? parsed(String(value)) : value;
  const lost = texts && read !== value ? lostNumberIn(String(value)) : undefined;
  if (lost !== undefined) return { reason: `is not kept: ${lostNumber(lost)}` };
  if (multiple && !Array.isArray(read)) return { reason: 'must be a list, in CSV as JSON' };
  return hasOperator(read) ? { reason: 'must not have keys that begin with $' } : { value: read };
}

function parsed(text: string): unknown {
  try {
    return /^\s*[[{]/.test(text) ? (JSON.parse(text) as unknown) : text;
  } catch {
    return text;
  }
}

function hasOperator(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(hasOperator);
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.entries(value).some(([key, inner]) => key.startsWith('$') || hasOperator(inner))
  );
}
