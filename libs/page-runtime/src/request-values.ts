/**
 * Checks all values of a request before its route runs, so that a refusal costs no command and names every wrong
 * parameter. A value is exactly one text. A text with an operator or a structure of the query language is refused even
 * where any text is allowed: no control sends such a text, so it is an error or an attack.
 */
import { asBoolean, asDate, asNumber, BadValueError, isObjectIdText } from './coercions';
import type { ValueSource } from './decorators';
import type { RouteParameter } from './rehearse';

export interface ValueIssue {
  readonly name: string;
  readonly in: ValueSource;
  readonly message: string;
}

/** The values of a request as the server parsed them: one text, or a list when a name was repeated. */
export type ParsedValues = Readonly<Record<string, unknown>>;

export interface RequestValues {
  readonly query: ParsedValues;
  readonly params: ParsedValues;
  /** By their names in lower case. */
  readonly headers: ParsedValues;
}

/** Every error in the values of a request; empty when the route may run. The errors never repeat the values. */
export function valueIssues(parameters: readonly RouteParameter[], request: RequestValues): ValueIssue[] {
  const issues = parameters.flatMap((parameter): ValueIssue[] => {
    const message = issueOf(parameter, valueGiven(parameter, request));
    return message === undefined ? [] : [{ name: parameter.name, in: parameter.in, message }];
  });
  const declared = new Set(parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name));
  const undeclared = Object.keys(request.query).filter((name) => !declared.has(name));
  return [
    ...issues,
    ...undeclared.map((name): ValueIssue => ({ name, in: 'query', message: 'is not a parameter of this address' })),
  ];
}

/** The value of a parameter as the server parsed it. */
export function valueGiven(
  { name, in: source }: Pick<RouteParameter, 'name' | 'in'>,
  { query, params, headers }: RequestValues,
): unknown {
  const given = { query, param: params, header: headers }[source];
  return Object.hasOwn(given, name) ? given[name] : undefined;
}

function issueOf(parameter: RouteParameter, value: unknown): string | undefined {
  if (value === undefined) return 'is missing';
  if (typeof value !== 'string') return 'must be given exactly once';
  if (value === '') return 'is empty';
  return textIssue(parameter, value);
}

function textIssue({ role, options }: RouteParameter, text: string): string | undefined {
  try {
    if (role === 'number') asNumber(text);
    if (role === 'boolean') asBoolean(text);
    if (role === 'date') asDate(text);
  } catch (error) {
    if (error instanceof BadValueError) return `must be ${error.expected}`;
    throw error;
  }
  if (role === 'id' && !isObjectIdText(text)) return 'must be an id of 24 hexadecimal digits';
  if (role === 'select' && options && !options.includes(text)) return `must be one of ${options.join(', ')}`;
  if (isQueryLanguage(text)) return 'must be a plain text, not an operator or a structure';
  return undefined;
}

/**
 * `$status`, `{"$ne":1}`, `[]`: texts that a database could read as more than text. Prose with brackets or prices is
 * allowed.
 */
export function isQueryLanguage(text: string): boolean {
  const trimmed = text.trim();
  if (/^\$[A-Za-z_$]/.test(trimmed)) return true;
  if (!/^[[{]/.test(trimmed)) return false;
  try {
    JSON.parse(trimmed);
    return true;
  } catch {
    return false;
  }
}
