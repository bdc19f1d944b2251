/**
 * The live registry of query templates. A template is a pair of functions: `emit` turns parameters into the steps of a
 * chain, and `read` turns steps back. Everything between steps and source text belongs to the builder, so a template
 * can write nothing but a chain.
 */
import type { Resource } from '@platform/page-runtime';
import type { Issue, PlainScalar, QueryParamBinding, QueryTemplateDescriptor } from './types';

/**
 * An argument of a step: a literal, an object of literals, a date as text, a value of the request, or an export of a
 * package, such as the calculation of `calculate`; the import is added to the model.
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
  /**
   * The complete form of valid parameters: defaults are filled in, and empty parts left out. `read` returns this form.
   */
  complete(params: Params): Params;
  /** The chain after `this.rows()`. Called only with complete, valid parameters. */
  emit(params: Params, resource: Resource): readonly ChainStep[];
  /** The complete parameters behind a chain, or undefined for a chain of another template. */
  read(steps: readonly ChainStep[]): Params | undefined;
  /** The measure in the headline of a series: `count`, `sum`, `avg`, `min` or `max`. */
  measureOf(params: Params): 'count' | 'sum' | 'avg' | 'min' | 'max';
}

/** The samples that test a template. */
export interface TemplateSamples {
  readonly resource: Resource;
  /** Valid parameters, as different as possible. */
  readonly samples: readonly Params[];
}

/** The exports of a package of templates; it also exports the calculations that its chains use. */
export interface TemplatePackage {
  readonly templates: readonly QueryTemplate[];
  /** For each template, by its id: the samples with which it is tested at its registration. */
  readonly samples: Readonly<Record<string, TemplateSamples>>;
}

export interface TemplateRegistry {
  /**
   * Throws RangeError for an id that is taken, naming the template that has it. Returns the function that removes the
   * template.
   */
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

/** The part of a template that callers see. */
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
