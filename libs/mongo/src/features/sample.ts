/** The records of the store's suite: a union by status, nested values, dates and optional keys. */
import type { OutboxEntry, Revisioned } from '@platform/kernel';
import type { CollectionDeclaration, Draft, InsertOutcome, MutationOutcome, Store } from '../port';

interface JobBase extends Revisioned {
  readonly tenantId: string;
  readonly rank: number | null;
  readonly reference?: string;
  readonly tags?: readonly string[];
  readonly outbox?: readonly OutboxEntry[];
}

export type Job =
  | (JobBase & { readonly status: 'waiting'; readonly dueAt: Date })
  | (JobBase & {
      readonly status: 'running';
      readonly executor: {
        readonly instance: string;
        readonly steps: readonly { readonly name: string; readonly at: Date }[];
      };
    })
  | (JobBase & { readonly status: 'done'; readonly result: Readonly<Record<string, unknown>> });

export const jobsCollection: CollectionDeclaration<Job> = {
  name: 'jobs',
  announces: true,
  indexes: [
    { name: 'by_tenant', key: { tenantId: 1, rank: 1, _id: 1 } },
    { name: 'by_tenant_falling', key: { tenantId: 1, rank: -1, createdAt: 1, _id: -1 } },
    { name: 'reference', key: { reference: 1 }, unique: true, only: { reference: { $exists: true } } },
    { name: 'due', key: { dueAt: 1, _id: 1 }, only: { status: 'waiting' } },
    { name: 'executing', key: { 'executor.instance': 1, _id: 1 } },
  ],
};

/** What the suite needs of an implementation. */
export interface StoreHarness {
  readonly store: Store;
  /** The clock that stamps records; the suite moves it. */
  readonly clock: { now(): Date; advance(milliseconds: number): void };
  /** Writes a document without any check, as an older release may have left it. */
  put(collection: string, document: Readonly<Record<string, unknown>>): Promise<void>;
}

export const dueAt = new Date('2026-03-01T08:00:00.123Z');

export function waiting(
  id: string,
  more: Partial<Extract<Draft<Job>, { status: 'waiting' }>> = {},
): Extract<Draft<Job>, { status: 'waiting' }> {
  return { _id: id, tenantId: 'tenant', rank: 1, status: 'waiting', dueAt: dueAt, ...more };
}

export function announcement(id: string, createdAt = dueAt): OutboxEntry {
  return {
    id,
    subject: 'job.announced',
    type: 'job.announced.v1',
    body: { id, nested: { list: [1, 'two', null] } },
    closesOn: 'receiver_record',
    createdAt,
  };
}

/** The record of an applied write; any other outcome fails the test with the whole outcome. */
export function applied<T>(outcome: InsertOutcome<T> | MutationOutcome<T>): T {
  if (outcome.outcome !== 'applied') throw new Error(`expected an applied write, got ${JSON.stringify(outcome)}`);
  return outcome.record;
}

/** A version 7 UUID. */
export const revisionShape = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
