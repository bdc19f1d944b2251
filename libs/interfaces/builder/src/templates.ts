/**
 * The live registry of query templates. A template is a pair of twins: `emit` turns parameters into the steps of a
 * chain, `read` turns steps back. Everything between steps and source text is the builder's, so that a template cannot
 * write anything but a chain.
 */
import type { Resource } from '@platform/page-runtime';
import type { Issue, PlainScalar, QueryParamBinding, QueryTemplateDescriptor } from './types';

/**
 * An argument of a step: a literal, an object of literals, a date written as text, a value of the request, or what a package
 * exports, such as the calculation of `calculate`; the model gets the import.
 */
export type StepArgument =
  | { readonly kind: 'imported'; readonly module: string; readonly name: string }
  | { readonly kind: 'literal'; readonly value: PlainScalar }
  | { readonly kind: 'date'; readonly text: string }
  | { readonly kind: 'object'; readonly entries: Readonly<Record<string, PlainScalar>> }
  | {
      readonly kind: 'bound';
      readonly binding: QueryParamBinding;
      readonly valueKind: 'text' | 'select' | 'number' | 'date' | 'boolean';
      readonly suggestedName: string;
    };

/** One call of a chain, for example `.where('status', 'eq', 'paid')`. */
export interface ChainStep {
  readonly method: string;
  readonly args: readonly StepArgument[];
}

export type Params = Readonly<Record<string, unknown>>;

export interface QueryTemplate extends QueryTemplateDescriptor {
  /** Every reason why the parameters are not accepted; pointers are relative to `params`. */
  validate(params: Params, resource: Resource): Issue[];
  /** The complete form of valid parameters: defaults filled in, empty parts left out. `read` answers this form. */
  complete(params: Params): Params;
  /** The chain after `this.rows()`. Called with complete, valid parameters only. */
  emit(params: Params, resource: Resource): readonly ChainStep[];
  /** The complete parameters behind a chain, or undefined for a chain of another template. */
  read(steps: readonly ChainStep[]): Params | undefined;
  /** What the headline of a series adds up: `count`, `sum`, `avg`, `min` or `max`. */
  measureOf(params: Params): 'count' | 'sum' | 'avg' | 'min' | 'max';
}

/** The samples that test a template. */
export interface TemplateSamples {
  readonly resource: Resource;
  /** Valid parameters, the more different the better. */
  readonly samples: readonly Params[];
}

/** What a package of templates exports; beside it, the calculations that its chains name. */
export interface TemplatePackage {
  readonly templates: readonly QueryTemplate[];
  /** For each template, by its id: the samples that test it at its registration. */
  readonly samples: Readonly<Record<string, TemplateSamples>>;
}

export interface TemplateRegistry {
  /** Throws RangeError for an id that is taken, naming the template that has it. Answers the function that takes the template out again. */
  register(template: QueryTemplate): () => void;
  get(id: string): QueryTemplate | undefined;
  list(): readonly QueryTemplate[];
}

export function createTemplateRegistry(): TemplateRegistry {
  const templates = new Map<string, QueryTemplate>();
  return {
    register(template) {
      if (!/^[a-z][a-z0-9-]{0,63}$/.test(template.id))
        throw new RangeError('a template id is a lower-case word of at most 64 characters');
      if (templates.has(template.id))
        throw new RangeError(
          `the template id "${template.id}" is taken by the template "${templates.get(template.id)!.title}"`,
        );
      templates.set(template.id, template);
      return () => {
        if (templates.get(template.id) === template) templates.delete(template.id);
      };
    },
    get: (id) => templates.get(id),
    list: () => [...templates.values()],
  };
}

/** What of a template is shown to callers. */
export function describeTemplate({
  id,
  resourceType,
  title,
  description,
  output,
  params,
}: QueryTemplate): QueryTemplateDescriptor {
  return { id, resourceType, title, description, output, params };
}
