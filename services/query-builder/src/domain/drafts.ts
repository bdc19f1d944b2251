/** Queries that authors store before readers see them: drafts are previewed and shared, and no page serves them. */
import type { AddQueryInput, Issue } from '@platform/builder';
import { responseShapes } from '@platform/page-runtime';
import { isRecord } from './templates/where';

export interface Draft {
  readonly id: string;
  /** The number of changes, from 1; a save names the revision that it changes. */
  readonly revision: number;
  readonly pageRef: string;
  /** The input of AddQuery; checked when it is previewed and when it is published. */
  readonly input: AddQueryInput;
  /** The subject of the caller who saved it last. */
  readonly author: string;
  /** ISO 8601, UTC. */
  readonly savedAt: string;
}

export const maxDrafts = 200;
export const maxDraftCharacters = 50_000;
const draftId = /^[a-z0-9-]{1,64}$/;

const isText = (value: unknown): boolean => typeof value === 'string';
const text = { fits: isText, message: 'must be a text' };
/** What each part of a query is; a draft may lack any of them. */
const partKinds: Readonly<Record<string, { fits(value: unknown): boolean; readonly message: string }>> = {
  name: text,
  resource: text,
  template: text,
  endpoint: text,
  params: { fits: isRecord, message: 'must be an object' },
  response: {
    fits: (value) => responseShapes.some((each) => each === value),
    message: `must be one of ${responseShapes.join(', ')}`,
  },
  compare: { fits: (value) => typeof value === 'boolean', message: 'must be true or false' },
};

/** Why these parts cannot be shown as a draft. Whether they make a query is checked when they become one. */
export function draftIssues(parts: Readonly<Record<string, unknown>>): Issue[] {
  return Object.entries(parts).flatMap(([part, value]) => {
    const kind = Object.hasOwn(partKinds, part) ? partKinds[part] : undefined;
    if (!kind) return [{ pointer: `/${part}`, message: 'is not a part of a query' }];
    return value === undefined || kind.fits(value) ? [] : [{ pointer: `/${part}`, message: kind.message }];
  });
}

/** The drafts of a file; undefined when the text cannot be read, for example after an edit by hand. */
export function readDrafts(text: string): Draft[] | undefined {
  try {
    const read: unknown = JSON.parse(text);
    return Array.isArray(read) && read.every(isDraft) ? read : undefined;
  } catch {
    return undefined;
  }
}

function isDraft(value: unknown): value is Draft {
  return (
    isRecord(value) &&
    typeof value['id'] === 'string' &&
    draftId.test(value['id']) &&
    Number.isInteger(value['revision']) &&
    [value['pageRef'], value['author'], value['savedAt']].every((each) => typeof each === 'string') &&
    isRecord(value['input']) &&
    draftIssues(value['input']).length === 0
  );
}

export function emitDrafts(drafts: readonly Draft[]): string {
  return `${JSON.stringify(drafts, null, 2)}\n`;
}
