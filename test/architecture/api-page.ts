/**
 * The reference pages of an HTTP interface, generated from its OpenAPI document: operations by subject, and their
 * shapes.
 */
import { table } from './markdown-table';

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly additionalProperties?: Schema | boolean;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly description?: string;
}
type Content = Readonly<
  Record<string, { readonly schema: Schema; readonly examples?: Readonly<Record<string, unknown>> }>
>;
interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
}
interface Operation {
  readonly summary: string;
  readonly description: string;
  readonly tags?: readonly string[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly description?: string; readonly content?: Content }>>;
}
export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly parameters?: Readonly<Record<string, Parameter>>;
  };
}

const nameOf = (ref: string): string => ref.split('/').at(-1)!;
const anchor = (heading: string): string => heading.toLowerCase();
const oneLine = (text = ''): string => text.replaceAll(/\s*\n\s*/g, ' ');

/** A type in words; `shapes` is the page with the shapes. */
function typeOf(schema: Schema, shapes: string): string {
  const either = schema.anyOf ?? schema.oneOf;
  if (schema.$ref) return `[${nameOf(schema.$ref)}](${shapes}#${anchor(nameOf(schema.$ref))})`;
  if (schema.const !== undefined) return `\`${String(schema.const)}\``;
  if (schema.enum) return schema.enum.map((value) => `\`${String(value)}\``).join(', ');
  if (either) return [...new Set(either.map((each) => typeOf(each, shapes)))].join(' or ');
  if (schema.items) return `list of ${typeOf(schema.items, shapes)}`;
  if (schema.properties) return 'object';
  if (typeof schema.additionalProperties === 'object') return `map of ${typeOf(schema.additionalProperties, shapes)}`;
  if (schema.allOf && !schema.type) return schema.allOf.map((each) => typeOf(each, shapes)).join(' and ');
  return [schema.type ?? 'any'].flat().join(' or ');
}

/** The fields of a shape; fields of nested objects have their path. */
function fieldRows({ properties = {}, required = [] }: Schema, shapes: string, path = ''): (readonly string[])[] {
  return Object.entries(properties).flatMap(([name, field]) => {
    const within = field.properties ? field : field.items?.properties ? field.items : undefined;
    const at = `${path}${name}`;
    return [
      [`\`${at}\``, typeOf(field, shapes), required.includes(name) ? 'yes' : '', oneLine(field.description)],
      ...(within ? fieldRows(within, shapes, `${at}${field.items ? '[]' : ''}.`) : []),
    ];
  });
}

const fieldHead = ['Field', 'Type', 'Required', 'Says'];

function operationSection(
  method: string,
  path: string,
  operation: Operation,
  document: ApiDocument,
  shapes: string,
): string {
  const parameters = (operation.parameters ?? []).map((each) =>
    each.$ref ? document.components.parameters![nameOf(each.$ref)]! : each,
  );
  const body = operation.requestBody?.content['application/json']?.schema;
  const answers = Object.entries(operation.responses).filter(([status]) => Number(status) < 400);
  const refusals = Object.entries(operation.responses).filter(([status]) => Number(status) >= 400);
  const answerType = (content: Content = {}): string =>
    Object.entries(content)
      .map(([type, { schema }]) => (type === 'application/json' ? typeOf(schema, shapes) : `\`${type}\``))
      .join(' or ') || 'no body';
  return [
    `### ${operation.summary}`,
    `\`${method.toUpperCase()} ${path}\``,
    operation.description,
    parameters.length > 0 &&
      table(
        ['Parameter', 'In', 'Type', 'Required', 'Says'],
        parameters.map((each) => [
          `\`${each.name}\``,
          each.in,
          typeOf(each.schema, shapes),
          each.required ? 'yes' : '',
          oneLine(each.description),
        ]),
      ),
    body && (body.$ref ? `Takes ${typeOf(body, shapes)}.` : `Takes:\n\n${table(fieldHead, fieldRows(body, shapes))}`),
    `Answers ${answers.map(([status, { content }]) => `${status}: ${answerType(content)}`).join('; ')}.`,
    `Refuses: ${refusals
      .map(([status, { content = {} }]) => {
        const codes = Object.values(content).flatMap(({ examples = {} }) => Object.keys(examples));
        return `${status} ${codes.map((code) => `\`${code}\``).join(', ')}`;
      })
      .join('; ')}. The [errors](errors.md) say what each means.`,
  ]
    .filter((part) => part !== false && part !== undefined)
    .join('\n\n');
}

/** Every operation, under the subject of its tag; `shapes` is the page with the shapes, empty for the same page. */
export function operationsPage(document: ApiDocument, shapes: string): string {
  const bySubject = new Map<string, string[]>();
  for (const [path, methods] of Object.entries(document.paths))
    for (const [method, operation] of Object.entries(methods)) {
      const subject = operation.tags?.[0] ?? 'other';
      bySubject.set(subject, [
        ...(bySubject.get(subject) ?? []),
        operationSection(method, path, operation, document, shapes),
      ]);
    }
  return [...bySubject]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([subject, sections]) => [`## ${subject[0]!.toUpperCase()}${subject.slice(1)}`, ...sections].join('\n\n'))
    .join('\n\n');
}

/** Every shape of an operation's input or answer, by its name. */
export function shapesPage({ components }: ApiDocument): string {
  return Object.entries(components.schemas)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, schema]) => {
      const rows = fieldRows(schema, '');
      const what = rows.length > 0 ? table(fieldHead, rows) : `One of ${typeOf(schema, '')}.`;
      return [`## ${name}`, schema.description, what].filter(Boolean).join('\n\n');
    })
    .join('\n\n');
}
