/** Turns untrusted input of an operation into plain parts, or into every reason against it, each with its pointer. */
import { wordsOf, type AddQueryInput, type Issue, type QueryTemplate, type TemplateRegistry } from '@platform/builder';
import type { Resource } from '@platform/page-runtime';
import { sameValue } from './edit/same-value';
import { plainCopy } from './plain-input';
import { inputIssues } from './query';
import { readingsOfSteps } from './read-query';
import { isRecord } from './templates/where';

const parts = ['name', 'resource', 'template', 'params', 'endpoint', 'response', 'compare'] as const;

export interface PlainParts {
  readonly parts: Readonly<Partial<Record<(typeof parts)[number], unknown>>>;
  readonly issues: readonly Issue[];
}

/** The declared parts of an input as plain data. `ignoring`: parts that are not read at all. */
export function plainParts(input: unknown, ignoring: readonly string[] = []): PlainParts {
  const looked = isRecord(input) && ignoring.length > 0 ? withoutKeys(input, ignoring) : input;
  const { value, issues } = plainCopy(looked, '');
  if (!isRecord(value))
    return { parts: {}, issues: issues.length > 0 ? issues : [{ pointer: '', message: 'must be an object' }] };
  const undeclared = Object.keys(value)
    .filter((key) => !parts.some((each) => each === key))
    .map((key) => ({ pointer: `/${key}`, message: 'is not a part of a query' }));
  const misshapen =
    value['params'] === undefined || isRecord(value['params'])
      ? []
      : [{ pointer: '/params', message: 'must be an object' }];
  return { parts: value, issues: [...issues, ...undeclared, ...misshapen] };
}

/** Without running a getter. */
function withoutKeys(input: object, keys: readonly string[]): object {
  const entries = Object.entries(Object.getOwnPropertyDescriptors(input)).filter(([key]) => !keys.includes(key));
  return Object.create(Object.getPrototypeOf(input) as object | null, Object.fromEntries(entries)) as object;
}

export type CheckedInput =
  | {
      readonly kind: 'valid';
      readonly input: AddQueryInput;
      readonly template: QueryTemplate;
      readonly resource: Resource;
    }
  | { readonly kind: 'invalid'; readonly issues: readonly Issue[] };

/** Checks plain parts; `resource` is the project's resource of the name in the parts. */
export function checkInput(
  { parts: given, issues: earlier }: PlainParts,
  templates: TemplateRegistry,
  resource: Resource | undefined,
): CheckedInput {
  const template = typeof given.template === 'string' ? templates.get(given.template) : undefined;
  const input = { ...given, params: isRecord(given.params) ? given.params : {} } as unknown as AddQueryInput;
  const issues = [...earlier];
  if (!template)
    issues.push({
      pointer: '/template',
      message:
        given.template === undefined
          ? 'is required'
          : `must be one of ${templates
              .list()
              .map(({ id }) => id)
              .join(', ')}`,
    });
  if (!resource)
    issues.push({
      pointer: '/resource',
      message: given.resource === undefined ? 'is required' : 'must be a resource of the project',
    });
  issues.push(...inputIssues(input, template, resource));
  if (template && resource && issues.length === 0) issues.push(...conflictIssues(input, template, resource, templates));
  const distinct = issues.filter(
    ({ pointer }, index) =>
      !issues.slice(0, index).some((other) => pointer === other.pointer || pointer.startsWith(`${other.pointer}/`)),
  );
  if (distinct.length > 0) return { kind: 'invalid', issues: distinct };
  return { kind: 'valid', input, template: template!, resource: resource! };
}

/**
 * Another template may express the same chain in fewer values; the chain would then read back as that template's query.
 */
function conflictIssues(
  { params = {} }: AddQueryInput,
  template: QueryTemplate,
  resource: Resource,
  templates: TemplateRegistry,
): Issue[] {
  const complete = template.complete(params);
  const steps = template.emit(complete, resource);
  const other = readingsOfSteps(steps, templates).find(
    ({ template: each, params: read }) =>
      each !== template &&
      wordsOf(read) < wordsOf(complete) &&
      each.validate(read, resource).length === 0 &&
      sameValue(each.emit(each.complete(read), resource), steps),
  );
  if (!other) return [];
  const { id } = other.template;
  return [
    { pointer: '/template', message: `"${template.id}" writes here what the template "${id}" stands for; use "${id}"` },
  ];
}
