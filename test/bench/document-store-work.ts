/**
 * The work of both sides of the document store's bench: the same documents, the same four kinds of work, and checks
 * that end the bench at a wrong answer, so that it cannot count as a fast one.
 */
import type { Side } from './report';

export const storedDocuments = 100_000;
const documentsPerAccount = 10;
const plans = ['free', 'starter', 'pro', 'business'] as const;

export const kinds = ['insert', 'fenced update', 'indexed find', 'aggregation'] as const;
export type Kind = (typeof kinds)[number];

export interface BenchDocument {
  readonly _id: string;
  readonly revision: string;
  readonly account: string;
  readonly plan: string;
  readonly amountCents: number;
  readonly createdAt: Date;
  readonly note: string;
}

/** One measurement: `first` is the number of its first document, so that no two measurements insert the same one. */
export interface Request {
  readonly kind: Kind;
  readonly inFlight: number;
  readonly total: number;
  readonly first: number;
}

export type Answer = { readonly ready: true } | { readonly side: Side } | { readonly failed: string };

const note = 'What was agreed on the telephone, and with whom. '.repeat(4);

/** The document with this number; some 400 bytes of BSON. */
export function documentOf(number: number): BenchDocument {
  return {
    _id: `document-${number}`,
    revision: 'r0',
    account: accountOf(number),
    plan: plans[number % plans.length]!,
    amountCents: number % 10_000,
    createdAt: new Date(1_700_000_000_000 + number),
    note,
  };
}

/** Ten documents with neighbouring numbers share an account. */
export const accountOf = (number: number): string => `account-${Math.floor(number / documentsPerAccount)}`;

/** Throws unless a find returned one account's documents. */
export function checkFound(found: readonly BenchDocument[]): void {
  if (found.length !== documentsPerAccount) throw new Error(`an indexed find gave ${found.length} documents`);
}

/** Throws unless an aggregation saw every document of every plan. */
export function checkGroups(groups: readonly { readonly count: number; readonly total: number }[]): void {
  const count = groups.reduce((sum, group) => sum + group.count, 0);
  const total = groups.reduce((sum, group) => sum + group.total, 0);
  const expected = (storedDocuments / 10_000) * ((9_999 * 10_000) / 2);
  if (groups.length !== plans.length || count !== storedDocuments || total !== expected)
    throw new Error(`an aggregation gave ${groups.length} groups of ${count} documents and ${total}`);
}
