/**
 * The rules for templates, as a check that an author can run. The builder accepts only parameters and steps from a
 * template, never source text; these rules ensure that its queries read back.
 */
import type { Resource } from '@platform/page-runtime';
import {
  describeTemplate,
  type ChainStep,
  type Params,
  type QueryTemplate,
  type StepArgument,
  type TemplateSamples,
} from './templates';

const stepName = /^[a-z][A-Za-z0-9]{0,63}$/;
/** The modules from which a page project may import a calculation: a package, and never a path. */
export const packageName = /^(?:@[a-z0-9][a-z0-9._-]*\/)?[a-z0-9][a-z0-9._-]*(?:\/[A-Za-z0-9._-]+)*$/;
export const exportedName = /^[A-Za-z][A-Za-z0-9]{0,63}$/;
/** The steps of the page runtime. */
const known: ReadonlySet<string> = new Set([
  'where',
  'count',
  'aggregate',
  'groupBy',
  'measure',
  'orderBy',
  'limit',
  'calculate',
]);

/** Every rule that a template violates, in words; empty when it conforms. Errors of the template are caught. */
export function templateViolations(template: QueryTemplate, { resource, samples }: TemplateSamples): string[] {
  const violations: string[] = [];
  const check = (rule: string, holds: () => boolean): void => {
    try {
      if (!holds()) violations.push(rule);
    } catch (error) {
      violations.push(`${rule} (it throws: ${error instanceof Error ? error.message : String(error)})`);
    }
  };
  check('its id is a lower-case word', () => /^[a-z][a-z0-9-]{0,63}$/.test(template.id));
  check('what it shows to callers is plain data', () =>
    same(JSON.parse(JSON.stringify(describeTemplate(template))), describeTemplate(template)),
  );
  check(
    'it says title, description and an output',
    () =>
      template.title !== '' &&
      template.description !== '' &&
      (template.output === 'scalar' || template.output === 'series'),
  );
  check('it comes with samples', () => samples.length > 0);
  for (const [index, sample] of samples.entries())
    checkSample(template, resource, deepFreeze(structuredClone(sample)), (rule, holds) =>
      check(`sample ${index}: ${rule}`, holds),
    );
  return violations;
}

/**
 * The templates of `others` that also read one of the samples' chains with as many values: queries of the two would be
 * confused. Returns a sentence for each; empty when the template is distinct from all.
 */
export function templateConflicts(
  template: QueryTemplate,
  { resource, samples }: TemplateSamples,
  others: readonly QueryTemplate[],
): string[] {
  return others
    .filter(({ id }) => id !== template.id)
    .flatMap((other) => {
      const sample = samples.findIndex((each) => {
        const complete = template.complete(each);
        const read = other.read(template.emit(complete, resource));
        return read !== undefined && wordsOf(read) === wordsOf(complete);
      });
      return sample < 0 ? [] : [`sample ${sample}: its chain is one of the template "${other.id}" too`];
    });
}

/**
 * The number of values that a template needs to express a chain: its parameters, with each filter counted. Of two
 * templates that express one chain, the one with fewer values is more specific.
 */
export function wordsOf(params: Params): number {
  return Object.values(params).reduce<number>((sum, value) => sum + (Array.isArray(value) ? value.length : 1), 0);
}

type Check = (rule: string, holds: () => boolean) => void;

function checkSample(template: QueryTemplate, resource: Resource, sample: Params, check: Check): void {
  check('its parameters are declared', () => Object.keys(sample).every((key) => Object.hasOwn(template.params, key)));
  check('it is valid', () => template.validate(sample, resource).length === 0);
  check('its complete form is valid, plain and final', () => {
    const complete = template.complete(sample);
    return (
      same(JSON.parse(JSON.stringify(complete)), complete) &&
      same(template.complete(complete), complete) &&
      template.validate(complete, resource).length === 0
    );
  });
  check('its chain is made of known steps with plain arguments', () =>
    emitted(template, resource, sample).every((step) => known.has(step.method) && step.args.every(isPlain)),
  );
  check('its chain is the same every time', () =>
    same(emitted(template, resource, sample), emitted(template, resource, sample)),
  );
  check('its chain reads back as its complete form', () =>
    same(template.read(emitted(template, resource, sample)), template.complete(sample)),
  );
  check('a chain with a step more or less does not read back as it', () => {
    const steps = emitted(template, resource, sample);
    const complete = template.complete(sample);
    return [[...steps, { method: 'other', args: [] }], steps.slice(0, -1)].every(
      (other) => !same(template.read(other), complete),
    );
  });
  check('it measures something', () =>
    ['count', 'sum', 'avg', 'min', 'max'].includes(template.measureOf(template.complete(sample))),
  );
}

function emitted(template: QueryTemplate, resource: Resource, sample: Params): readonly ChainStep[] {
  return template.emit(deepFreeze(template.complete(sample)), resource);
}

function isPlain(argument: StepArgument): boolean {
  switch (argument.kind) {
    case 'literal':
      return ['string', 'number', 'boolean'].includes(typeof argument.value);
    case 'date':
      return typeof argument.text === 'string';
    case 'imported':
      return packageName.test(argument.module) && exportedName.test(argument.name);
    case 'object':
      return Object.entries(argument.entries).every(
        ([key, value]) => stepName.test(key) && ['string', 'number', 'boolean'].includes(typeof value),
      );
    case 'bound':
      return stepName.test(argument.suggestedName) && typeof argument.binding.$param.name === 'string';
  }
}

function same(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null || tagOf(a) !== tagOf(b)) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => same((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key]))
  );
}

/** Prototypes differ between realms, so the kind of object is compared instead. */
function tagOf(value: object): string {
  return Object.prototype.toString.call(value);
}

function deepFreeze<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(deepFreeze);
  return value;
}
