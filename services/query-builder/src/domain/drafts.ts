/** Queries that authors store before readers see them: drafts are previewed and shared, and no page serves them. */
import type { AddQueryInput } from '@platform/builder';
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
    isRecord(value['input'])
  );
}

export function emitDrafts(drafts: readonly Draft[]): string {
  return `${JSON.stringify(drafts, null, 2)}\n`;
}
