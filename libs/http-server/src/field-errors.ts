/**
 * Turns a schema's issues into pointers that a client can follow to the field. Messages come from the schema and never
 * repeat the sent value: a body may contain secrets, and an answer must not.
 */
import type { core } from 'zod';
import type { FieldError } from './problem';

export type RequestPart = 'body' | 'query' | 'path' | 'header';

/** Words for what a schema without a message of its own wants of a value. */
const formats: Readonly<Record<string, string>> = {
  datetime: 'must be an instant in ISO 8601, for example 2026-01-31T00:00:00Z',
  date: 'must be a day in ISO 8601, for example 2026-01-31',
  email: 'must be an e-mail address',
  url: 'must be an address (URL)',
};

/** Types that only the schema's library calls so. */
const types: Readonly<Record<string, string>> = { int: 'a whole number', record: 'of type object' };

function boundOf(origin: string, bound: string, limit: number | bigint): string {
  const unit = { string: 'character', array: 'item', set: 'item' }[origin];
  return unit === undefined
    ? `must be ${bound} ${limit}`
    : `must have ${bound} ${limit} ${unit}${limit === 1 ? '' : 's'}`;
}

/** Of a union that a field chooses from: the values of that field. */
function choiceOf(issue: core.$ZodIssueInvalidUnion): string {
  const listed = /^Invalid discriminator value\. Expected (.*)$/.exec(issue.message)?.[1];
  return listed === undefined
    ? 'is of none of the kinds that are allowed here'
    : `must be one of ${listed.replaceAll("'", '').replaceAll(' | ', ', ')}`;
}

/** The message of the schema; in place of the library's own words, words for people. */
function messageOf(issue: core.$ZodIssue): string {
  if (!/^(Too (small|big): |Invalid )/.test(issue.message)) return issue.message;
  switch (issue.code) {
    case 'too_small':
      return boundOf(issue.origin, issue.inclusive === false ? 'more than' : 'at least', issue.minimum);
    case 'too_big':
      return boundOf(issue.origin, issue.inclusive === false ? 'less than' : 'at most', issue.maximum);
    case 'invalid_value':
      return `must be ${issue.values.length === 1 ? '' : 'one of '}${issue.values.map(String).join(', ')}`;
    case 'invalid_type':
      return issue.message.endsWith('received undefined')
        ? 'is missing'
        : `must be ${types[issue.expected] ?? `of type ${issue.expected}`}`;
    case 'invalid_format':
      return formats[issue.format] ?? 'has another form than is allowed here';
    case 'invalid_union':
      return choiceOf(issue);
    default:
      return issue.message;
  }
}

/** A request with thousands of wrong fields gets only the first ones, so that the answer stays small. */
const errorLimit = 50;
const pointerCharacters = 200;

/** A JSON pointer into the body, or to a part of the request by its name; at most 200 characters. */
export function pointerOf(part: RequestPart, path: readonly PropertyKey[]): string {
  const prefix = part === 'body' ? [] : [part];
  const pointer = [...prefix, ...path]
    .map((segment) => `/${String(segment).replaceAll('~', '~0').replaceAll('/', '~1')}`)
    .join('');
  return pointer.length <= pointerCharacters ? pointer : `${pointer.slice(0, pointerCharacters)}…`;
}

function unionErrors(part: RequestPart, issue: core.$ZodIssueInvalidUnion, at: readonly PropertyKey[]): FieldError[] {
  const branches = issue.errors.filter((branch) => branch.length > 0);
  const nearest = branches.sort((a, b) => a.length - b.length)[0];
  const alike = branches.filter((branch) => branch.length === nearest?.length);
  if (!nearest || alike.length > 1) return [{ pointer: pointerOf(part, at), message: messageOf(issue) }];
  return nearest.flatMap((nested) => issueErrors(part, nested, at));
}

function issueErrors(part: RequestPart, issue: core.$ZodIssue, parent: readonly PropertyKey[] = []): FieldError[] {
  const at = [...parent, ...issue.path];
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      pointer: pointerOf(part, [...at, key]),
      message: 'This field is not known here.',
    }));
  }
  if (issue.code === 'invalid_union') return unionErrors(part, issue, at);
  return [{ pointer: pointerOf(part, at), message: messageOf(issue) }];
}

/** The issues of one part of the request as pointers with messages, at most 50. */
export function fieldErrors(part: RequestPart, issues: readonly core.$ZodIssue[]): FieldError[] {
  return issues.flatMap((issue) => issueErrors(part, issue)).slice(0, errorLimit);
}
