/**
 * Where the chain of a query is placed in a model: the method of its name or a numbered fork of it (specification §4,
 * rule 3). An equal existing chain is shared; other generated chains keep their callers; hand-written code is not
 * changed.
 */
import type { ChainStep, TemplateRegistry } from '@platform/builder';
import type { ModelSource } from '../project';
import { attempt, certifyMethod, isGeneratedChain } from '../read-query';
import { membersNamed } from '../source/class-source';
import { emitModelMethod, importedNames } from '../source/emit-chain';
import { readModelMethod } from '../source/read-chain';
import type { ts } from '../source/parse';
import { ensureImports, type EnsuredImports } from './import-edits';

export type Place = { readonly kind: 'shared' | 'new'; readonly method: string } | { readonly kind: 'taken' };

/** `passing`: a hand-written method with the name is skipped like any other, instead of causing a refusal. */
export function placeMethod(
  model: ModelSource,
  name: string,
  steps: readonly ChainStep[],
  templates: TemplateRegistry,
  passing = false,
): Place {
  const wanted = certifyMethod(steps, model.source.names);
  for (let number = 1; ; number += 1) {
    const method = number === 1 ? name : `${name}${number}`;
    const [member, second] = membersNamed(model.source, method);
    if (!member) return { kind: 'new', method };
    const read = second ? undefined : attempt('unparseable_chain', () => readModelMethod(member, model.source.names));
    const chain = read?.kind === 'read' ? read.value : undefined;
    if (chain?.canonical === wanted) return { kind: 'shared', method };
    const generated = chain !== undefined && isGeneratedChain(chain, model.resource, model.source.names, templates);
    if (!generated && number === 1 && !passing) return { kind: 'taken' };
  }
}

/** Why a query cannot have a method of this name, and how to free the name. */
export function takenMember({ resource, source }: ModelSource, name: string): string {
  return `the model of ${resource.name} has a member ${name} that is no generated chain: take another name for the query, or rename or remove that member in ${source.path}`;
}

/** Whether a member is a chain that a template generates; only such a member may be changed. */
export function isGenerated(model: ModelSource, member: ts.ClassElement, templates: TemplateRegistry): boolean {
  const read = attempt('unparseable_chain', () => readModelMethod(member, model.source.names));
  return read.kind === 'read' && isGeneratedChain(read.value, model.resource, model.source.names, templates);
}

/** The source of a method and the imports that it needs. */
export function writtenMethod(
  { source }: ModelSource,
  method: string,
  steps: readonly ChainStep[],
): { readonly text: string; readonly imports: EnsuredImports } {
  const imports = ensureImports(source, importedNames(steps));
  return { text: emitModelMethod(method, steps, source.style, imports.spell), imports };
}
