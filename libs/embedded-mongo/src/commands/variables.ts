/** The variables that a command's `let` argument defines; their values must be constant expressions. */
import type { Doc } from '../bson/values';
import { environmentOf, outermostScope } from '../expressions/compile';
import { checkVariableName, type Scope } from '../expressions/scope';
import { optionalDoc } from './fields';

export function scopeOf(command: Doc): Scope {
  const scope = outermostScope();
  const variables = optionalDoc(command, 'let');
  if (!variables) return scope;
  const outer = outermostScope();
  for (const [name, source] of variables) {
    checkVariableName(name);
    scope.define(name, outer.compile(source)(environmentOf(undefined)));
  }
  return scope;
}
