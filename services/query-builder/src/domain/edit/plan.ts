/**
 * What an operation would write, decided before anything is written. Files are in the order in which they must be
 * written: every state in between compiles, and shows the query either as it was or as it will be.
 */
import type { BuilderError } from '@platform/builder';
import type { TemplateRegistry } from '@platform/builder';
import type { ModelSource } from '../project';
import { certify, routeNamed } from '../page-queries';
import type { QuerySpec } from '../query';
import type { ClassSource } from '../source/class-source';
import { sameValue } from './same-value';
import { UnverifiedEditError } from './unverified-edit';

export interface FileWrite {
  /** Relative to the project. */
  readonly path: string;
  /** The expected current text of the file. */
  readonly before: string;
  readonly text: string;
  /** The write only removes unused code, so the operation succeeds without it. */
  readonly cleanup?: true;
}

export type Plan =
  | { readonly kind: 'plan'; readonly name: string; readonly endpoint: string; readonly writes: readonly FileWrite[] }
  | { readonly kind: 'refused'; readonly error: BuilderError };

export function refusedPlan(error: BuilderError): Plan {
  return { kind: 'refused', error };
}

/** One write that changes a class into its successor; none when the text is the same. */
export function writeOf(before: ClassSource, after: ClassSource): FileWrite[] {
  return before.text === after.text ? [] : [{ path: before.path, before: before.text, text: after.text }];
}

/** Throws UnverifiedEditError unless the sources express exactly this query: every emitted literal equals its input. */
export function checkQuery(page: ClassSource, model: ModelSource, spec: QuerySpec, templates: TemplateRegistry): void {
  const route = routeNamed(page, spec.name);
  const read = route && certify(page, route, model, templates);
  if (!read) throw new UnverifiedEditError('a written route is not there');
  if (read.kind === 'opaque') throw new UnverifiedEditError(`a written query does not read back: ${read.detail}`);
  const { template, resource, params, endpoint, response, compare } = read.spec;
  const same =
    template === spec.template &&
    resource.name === spec.resource.name &&
    sameValue(params, spec.params) &&
    endpoint === spec.endpoint &&
    response === spec.response &&
    compare === spec.compare;
  if (!same) throw new UnverifiedEditError('a written query reads back as another one');
}
