/**
 * Turns a schema's issues into pointers that a client can follow to the field. Messages come from the schema and never
 * repeat the sent value: a body may contain secrets, and an answer must not.
 */
import type { core } from 'zod';
import type { FieldError } from './problem';

export type RequestPart = 'body' | 'query' | 'path' | 'header';

/** A request with thousands of wrong fields gets only the first ones, so that the answer stays small. */
const errorLimit = 50;
const pointerCharacters = 200;

function pointerOf(part: RequestPart, path: readonly PropertyKey[]): string {
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
  if (!nearest || alike.length > 1) return [{ pointer: pointerOf(part, at), message: issue.message }];
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
  return [{ pointer: pointerOf(part, at), message: issue.message }];
}

/** The issues of one part of the request as pointers with messages, at most 50. */
export function fieldErrors(part: RequestPart, issues: readonly core.$ZodIssue[]): FieldError[] {
  return issues.flatMap((issue) => issueErrors(part, issue)).slice(0, errorLimit);
}
