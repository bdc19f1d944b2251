/** Reads a resource from its declaration, as data. Authoring must not execute a project's code, so nothing is run. */
import {
  dataTypes,
  defineResource,
  type DataType,
  type FieldDefinition,
  type Labels,
  type Resource,
} from '@platform/page-runtime';
import { codeOfItsOwn } from '../own-code';
import { readNames, runtimeModule } from './imports';
import { parseSource, sourceErrorAt, SourceError, ts } from './parse';
import { readFreeTerm, strip, Unreadable, type Term } from './terms';

export interface DeclaredResource {
  readonly resource: Resource;
  /** Name of the exported constant. */
  readonly exported: string;
}

/** Reads the `defineResource('name', {…})` of a file. Throws SourceError when it is missing or not literal. */
export function readResource(path: string, text: string): DeclaredResource {
  const file = parseSource(path, text);
  const names = readNames(file);
  const odd = codeOfItsOwn(file, names);
  if (odd) throw sourceErrorAt(file, odd, 'the file of a resource runs code of its own that could change it');
  const define = names.spell(runtimeModule, 'defineResource');
  for (const statement of file.statements.filter(ts.isVariableStatement)) {
    for (const declaration of statement.declarationList.declarations) {
      const call = declaration.initializer && strip(declaration.initializer);
      if (
        !call ||
        !ts.isCallExpression(call) ||
        call.expression.getText(file) !== define ||
        !ts.isIdentifier(declaration.name)
      )
        continue;
      try {
        return {
          resource: resourceOf(
            call.arguments.map((argument) => plain(argument, (node) => readFreeTerm(node, names))),
            call,
          ),
          exported: declaration.name.text,
        };
      } catch (error) {
        if (error instanceof Unreadable) throw sourceErrorAt(file, error.node, error.message);
        throw error;
      }
    }
  }
  throw new SourceError(path, 1, 'the file does not declare a resource with defineResource');
}

type Plain = string | number | boolean | readonly Plain[] | ReadonlyMap<string, Plain>;

/** Literals, and objects and lists of them; lists occur only here, so the terms do not include them. */
function plain(wrapped: ts.Expression, read: (node: ts.Expression) => Term): Plain {
  const node = strip(wrapped);
  if (ts.isArrayLiteralExpression(node)) return node.elements.map((element) => plain(element, read));
  if (ts.isObjectLiteralExpression(node)) {
    return new Map(
      node.properties.map((property) => {
        const key =
          property.name && (ts.isIdentifier(property.name) || ts.isStringLiteralLike(property.name))
            ? property.name.text
            : undefined;
        if (!ts.isPropertyAssignment(property) || key === undefined)
          throw new Unreadable(property, 'a resource is declared with plain keys and values');
        return [key, plain(property.initializer, read)];
      }),
    );
  }
  const term = read(node);
  if (term.kind !== 'literal') throw new Unreadable(node, 'a resource is declared with literals');
  return term.value;
}

type Parts = ReadonlyMap<string, Plain>;

function resourceOf([name, definition]: readonly Plain[], call: ts.CallExpression): Resource {
  const parts: Parts = definition instanceof Map ? (definition as Parts) : new Map();
  const fields = parts.get('fields');
  if (typeof name !== 'string' || !(fields instanceof Map))
    throw new Unreadable(call, 'a resource has a name and fields');
  const entries = [...(fields as Parts)].map(([field, declared]) => [field, fieldOf(declared, call)] as const);
  try {
    return defineResource(name, {
      ...texts(parts, ['collection', 'tenantField']),
      ...(parts.get('view') === true && { view: true }),
      tenantScoped: parts.get('tenantScoped') === true,
      fields: Object.fromEntries(entries),
    });
  } catch (error) {
    throw error instanceof RangeError ? new Unreadable(call, error.message) : error;
  }
}

/** The named parts that exist; a value that is no text is kept, and later refused as a mapping. */
function texts(parts: Parts, names: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    names.filter((name) => parts.has(name)).map((name) => [name, parts.get(name) as string] as const),
  );
}

function fieldOf(declared: Plain, call: ts.CallExpression): FieldDefinition {
  const parts: Parts = declared instanceof Map ? (declared as Parts) : new Map();
  const type = parts.get('type');
  if (typeof type !== 'string' || !Object.hasOwn(dataTypes, type))
    throw new Unreadable(call, 'a field has one of the known types');
  const options = parts.get('options');
  const labels = parts.get('labels');
  return {
    type: type as DataType,
    ...(Array.isArray(options) && { options: options.map(String) }),
    ...(parts.get('multiple') === true && { multiple: true }),
    ...texts(parts, ['path', 'stored']),
    ...(labels instanceof Map && {
      labels: {
        ...(texts(labels as Parts, ['from', 'key', 'field', 'tenantField']) as unknown as Labels),
        ...((labels as Parts).get('shared') === true && { shared: true }),
      },
    }),
  };
}
