/** A resource as its declaration says it. Read as data and never run: authoring must not execute a project's code. */
import { dataTypes, type DataType, type FieldDefinition, type Resource } from '@platform/page-runtime';
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

/** Literals, objects and lists of such; lists stand only here, so they are no part of the terms. */
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

function resourceOf([name, definition]: readonly Plain[], call: ts.CallExpression): Resource {
  const fields = definition instanceof Map ? (definition as ReadonlyMap<string, Plain>).get('fields') : undefined;
  if (typeof name !== 'string' || !(fields instanceof Map))
    throw new Unreadable(call, 'a resource has a name and fields');
  const tenantScoped = (definition as ReadonlyMap<string, Plain>).get('tenantScoped') === true;
  const entries = [...(fields as ReadonlyMap<string, Plain>)].map(
    ([field, declared]) => [field, fieldOf(declared, call)] as const,
  );
  return { name, tenantScoped, fields: Object.fromEntries(entries) };
}

function fieldOf(declared: Plain, call: ts.CallExpression): FieldDefinition {
  const parts: ReadonlyMap<string, Plain> = declared instanceof Map ? declared : new Map();
  const type = parts.get('type');
  if (typeof type !== 'string' || !Object.hasOwn(dataTypes, type))
    throw new Unreadable(call, 'a field has one of the known types');
  const options = parts.get('options');
  return {
    type: type as DataType,
    ...(Array.isArray(options) && { options: options.map(String) }),
    ...(parts.get('multiple') === true && { multiple: true }),
  };
}
