/**
 * AddQuery as texts: the chain is added to the model (or an existing one is shared), then the route is added to the
 * page.
 */
import type { TemplateRegistry } from '@platform/builder';
import { collisionWith, type KnownPage } from '../collisions';
import { compileQuery, type QuerySpec } from '../query';
import { membersNamed, type ClassSource } from '../source/class-source';
import type { ModelSource } from '../project';
import { editModel, editPage } from './edited-class';
import { insertMember } from './member-edits';
import { placeMethod, takenMember, writtenMethod } from './place-method';
import { checkQuery, refusedPlan, writeOf, type Plan } from './plan';
import { writtenRoute } from './written-route';

export interface AddInput {
  readonly page: ClassSource;
  readonly pageRef: string;
  readonly model: ModelSource;
  /** Valid and complete. */
  readonly spec: QuerySpec;
  readonly templates: TemplateRegistry;
  /** The pages that could serve the new URL, including this one. */
  readonly pages: readonly KnownPage[];
}

export function planAdd({ page, pageRef, model, spec, templates, pages }: AddInput): Plan {
  const { name, endpoint } = spec;
  const taken = (pointer: string, detail: string): Plan =>
    refusedPlan({ code: 'duplicate_name', name, scope: 'query', pointer, detail });
  if (membersNamed(page, name).length > 0) return taken('/name', `the page has a member ${name} already`);
  const collision = collisionWith(pageRef, endpoint, pages);
  if (collision !== undefined) return taken('/endpoint', `${endpoint} is taken: ${collision}`);
  const compiled = compileQuery(spec);
  const place = placeMethod(model, name, compiled.steps, templates);
  if (place.kind === 'taken') return taken('/name', takenMember(model, name));
  const after = place.kind === 'shared' ? model : withMethod(model, place.method, compiled.steps);
  const route = writtenRoute(page, model, name, compiled.route(place.method));
  const pageAfter = editPage(page, {
    splices: [...route.imports.splices, insertMember(page, route.text)],
    intended: { added: route.text },
  });
  checkQuery(pageAfter, after, spec, templates);
  return {
    kind: 'plan',
    name,
    endpoint,
    writes: [...writeOf(model.source, after.source), ...writeOf(page, pageAfter)],
  };
}

/** The model with a method of these steps at its end. */
function withMethod(model: ModelSource, method: string, steps: ReturnType<typeof compileQuery>['steps']): ModelSource {
  const { text, imports } = writtenMethod(model, method, steps);
  return editModel(model, {
    splices: [...imports.splices, insertMember(model.source, text)],
    intended: { added: text },
  });
}
