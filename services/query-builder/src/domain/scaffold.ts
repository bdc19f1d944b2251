/** The first source of a resource and of a page: code as people would write it, which the builder can read back. */
import { dataTypes, mappingFault, type DataType, type StoredAs } from '@platform/page-runtime';
import type { Issue } from '@platform/builder';
import { claimName, identifierFrom, upperFirst } from './names';
import { runtimeModule } from './source/imports';
import { emitLiteral } from './source/literal';

export interface NewField {
  readonly name: string;
  readonly type: DataType;
  readonly options?: readonly string[];
  readonly multiple?: boolean;
  readonly path?: string;
  readonly stored?: StoredAs;
}

export interface NewResource {
  readonly name: string;
  readonly title: string;
  readonly collection?: string;
  readonly view?: boolean;
  readonly tenantScoped: boolean;
  readonly tenantField?: string;
  readonly fields: readonly NewField[];
}

export interface NewPage {
  readonly pageRef: string;
  readonly title: string;
  readonly permission: string;
}

const fieldName = /^[A-Za-z][A-Za-z0-9_]{0,63}$/;
const permissionPattern = /^[A-Za-z0-9][A-Za-z0-9_.:-]{0,127}$/;
const fieldPattern = /^([^:]+):([a-z_]+)(\[\])?(?:\(([^)]*)\))?$/;

/** `status:select(pending,paid)`, `total:price`, `tags:string[]`; undefined for a text that describes no field. */
export function parseField(text: string): NewField | undefined {
  const [, name, type, multiple, options] = fieldPattern.exec(text) ?? [];
  if (name === undefined || type === undefined || !fieldName.test(name) || !Object.hasOwn(dataTypes, type))
    return undefined;
  return {
    name,
    type: type as DataType,
    ...(multiple && { multiple: true }),
    ...(options !== undefined && {
      options: options
        .split(',')
        .map((each) => each.trim())
        .filter(Boolean),
    }),
  };
}

export function pageIssues({ title, permission }: NewPage): Issue[] {
  const issues: Issue[] = [];
  if (title.trim() === '' || title.length > 200)
    issues.push({ pointer: '/title', message: 'must have 1 to 200 characters' });
  if (!permissionPattern.test(permission))
    issues.push({ pointer: '/permission', message: 'must be a permission such as shop.orders.read' });
  return issues;
}

export function resourceIssues(resource: NewResource): Issue[] {
  const { title, fields } = resource;
  const issues: Issue[] = [];
  const fault = mappingFault({ ...resource, fields: Object.fromEntries(fields.map((each) => [each.name, each])) });
  if (fault !== undefined) issues.push({ pointer: '', message: fault });
  if (title.trim() === '' || title.length > 200)
    issues.push({ pointer: '/title', message: 'must have 1 to 200 characters' });
  if (fields.length === 0) issues.push({ pointer: '/fields', message: 'must name at least one field' });
  fields.forEach(({ name, type, options }, index) => {
    if (fields.findIndex((each) => each.name === name) !== index)
      issues.push({ pointer: `/fields/${index}`, message: `${name} is declared twice` });
    if (type === 'select' && (options ?? []).length === 0)
      issues.push({
        pointer: `/fields/${index}`,
        message: 'a select needs options, for example status:select(open,done)',
      });
    if (type !== 'select' && options !== undefined)
      issues.push({ pointer: `/fields/${index}`, message: 'only a select has options' });
  });
  return issues;
}

export function emitResource({
  name,
  title,
  collection,
  view,
  tenantScoped,
  tenantField,
  fields,
}: NewResource): string {
  const text = (value: string): string => emitLiteral(value, "'");
  const rows = fields.map((field) => {
    const options = field.options ? `, options: [${field.options.map(text).join(', ')}]` : '';
    const mapping = [
      ...(field.path === undefined ? [] : [`path: ${text(field.path)}`]),
      ...(field.stored === undefined ? [] : [`stored: ${text(field.stored)}`]),
    ].map((each) => `, ${each}`);
    return `    ${field.name}: { type: ${text(field.type)}${options}${field.multiple ? ', multiple: true' : ''}${mapping.join('')} },`;
  });
  return [
    `import { defineResource } from '${runtimeModule}';`,
    '',
    `export const ${constantOf(name)} = defineResource(${text(name)}, {`,
    `  title: ${text(title)},`,
    ...(collection === undefined ? [] : [`  collection: ${text(collection)},`]),
    ...(view ? ['  view: true,'] : []),
    ...(tenantScoped ? ['  tenantScoped: true,'] : []),
    ...(tenantField === undefined ? [] : [`  tenantField: ${text(tenantField)},`]),
    '  fields: {',
    ...rows,
    '  },',
    '});',
    '',
  ].join('\n');
}

export function emitModel(name: string): string {
  const constant = constantOf(name);
  return [
    `import { TableModel } from '${runtimeModule}';`,
    `import { ${constant} } from './resource';`,
    '',
    `export class ${classOf(name, 'Model')} extends TableModel<typeof ${constant}> {`,
    `  readonly resource = ${constant};`,
    '}',
    '',
  ].join('\n');
}

export function emitPage({ pageRef, title, permission }: NewPage): string {
  const name = pageRef.slice(pageRef.lastIndexOf('/') + 1);
  return [
    `import { Page } from '${runtimeModule}';`,
    '',
    '@Page({',
    `  title: ${emitLiteral(title, "'")},`,
    `  permission: ${emitLiteral(permission, "'")},`,
    '  blocks: [],',
    '})',
    `export class ${classOf(name, 'Page')} {}`,
    '',
  ].join('\n');
}

/** A file cannot declare a name that it imports: the resource `table` has no model `TableModel`. */
const imported = ['defineResource', 'TableModel'];

function constantOf(name: string): string {
  return claimName(identifierFrom(name), new Set(imported));
}

function classOf(name: string, suffix: string): string {
  const words = name.split('-').map(upperFirst).join('');
  return claimName(/^[A-Z]/.test(words) ? `${words}${suffix}` : `${suffix}${words}`, new Set(imported));
}
