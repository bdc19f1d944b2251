/** Writes a route form as the source of a page's method; `read-route.ts` reads it back. */
import { claimName } from '../names';
import { emitLiteral } from './literal';
import { propertyOf, routeValues, type RouteArgument, type RouteForm } from './route-form';
import type { TextStyle } from './text-style';

/** How a page file spells the names that generated routes use; keys are names of the runtime. */
export interface RouteSpelling {
  readonly runtime: Readonly<Record<string, string>>;
  readonly modelClass: string;
  readonly pageClass: string;
}

/** Names of the runtime that a route's source contains. */
export function runtimeNamesOf(form: RouteForm): string[] {
  const values = routeValues(form);
  const sources = values.map((value) => (value.in === 'query' ? 'Query' : 'Param'));
  const coercions = values.flatMap(({ coercion }) => (coercion ? [coercion] : []));
  return [
    ...new Set([
      'Get',
      'Model',
      'PagePermission',
      'PageUser',
      ...sources,
      ...coercions,
      ...(form.answer.kind === 'arranged' ? ['arrange'] : []),
    ]),
  ].sort();
}

/** The method; its first line has no indentation. Each request value is read once and passed by position. */
export function emitRoute(
  name: string,
  form: RouteForm,
  style: TextStyle,
  { runtime, modelClass, pageClass }: RouteSpelling,
): string {
  const spelled = (each: string): string => runtime[each] ?? each;
  const text = (value: string): string => emitLiteral(value, style.quote);
  const taken = new Set([
    '_user',
    'model',
    modelClass,
    pageClass,
    ...Object.values(runtime).map((each) => each.split('.')[0]!),
  ]);
  const locals = new Map(routeValues(form).map((value) => [value.name, claimName(value.name, taken)]));
  const emitArgument = ({ name: value, coercion }: RouteArgument): string =>
    coercion ? `${spelled(coercion)}(${locals.get(value)})` : locals.get(value)!;
  const call = (args: readonly RouteArgument[]): string =>
    `await model.${form.modelMethod}(${args.map(emitArgument).join(', ')})`;
  const { memberIndent: outer, unit, eol } = style;
  const inner = `${outer}${unit}`;
  return [
    `@${spelled('Get')}(${text(form.endpoint)})`,
    `${outer}async ${name}(`,
    `${inner}@${spelled('PagePermission')}(${pageClass}) _user: ${spelled('PageUser')},`,
    `${inner}@${spelled('Model')}(${modelClass}) model: ${modelClass},`,
    ...routeValues(form).map(
      (value) =>
        `${inner}@${spelled(value.in === 'query' ? 'Query' : 'Param')}(${text(value.name)}) ${locals.get(value.name)}: string,`,
    ),
    `${outer}) {`,
    `${inner}return ${emitAnswer(form, call, text, spelled('arrange'))};`,
    `${outer}}`,
  ].join(eol);
}

function emitAnswer(
  { answer, args, previousArgs }: RouteForm,
  call: (args: readonly RouteArgument[]) => string,
  text: (value: string) => string,
  arrange: string,
): string {
  if (answer.kind === 'plain') return `{ ${propertyOf[answer.output]}: ${call(args)} }`;
  const previous = previousArgs ? `, previous: ${call(previousArgs)}` : '';
  return `${arrange}(${call(args)}, { response: ${text(answer.response)}, measure: ${text(answer.measure)}${previous} })`;
}
