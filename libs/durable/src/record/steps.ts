/**
 * The table of steps of a record, and the only ways to a draft of it. A status changes by `move`, or by `resolve` when a
 * person ends an investigation; both take the steps from the table, so that a step outside it does not compile and throws.
 */
import { InvariantError, type Revisioned } from '@platform/kernel';
import type { Draft } from '@platform/mongo';

/** What may follow a status: by running code, and by a recorded resolution only. */
export interface StepsFrom<Status extends string = string> {
  readonly to: readonly Status[];
  readonly byResolution?: readonly Status[];
}

export type StepTable<Status extends string = string> = { readonly [From in Status]: StepsFrom<Status> };

declare const checked: unique symbol;

/**
 * A draft whose status was checked against the table. There is no way to it but the functions of {@link defineSteps}, and
 * the stores of services accept nothing else.
 */
export type Checked<T extends Revisioned> = Draft<T> & { readonly [checked]: true };

/** The member of a union of records that has this status. */
export type InStatus<T, Field extends keyof T, Status> = T extends unknown
  ? T[Field] extends Status
    ? T
    : Status extends T[Field]
      ? T
      : never
  : never;

/** The fields that only some statuses have; they do not outlive the status. */
type OwnFields<T, Member> = Exclude<keyof Member, keyof T>;
type Stamps = keyof Revisioned | 'outbox';

/** What a step says: every field that only the new status has, and whatever else changes with it. */
type Change<T, Field extends keyof T, Member> = Partial<Omit<Pick<Member, keyof Member & keyof T>, Field | Stamps>> &
  Pick<Member, OwnFields<T, Member>>;

export interface Steps<T extends Revisioned, Field extends keyof T & string, Table extends StepTable> {
  readonly field: Field;
  readonly table: Table;
  /** A new record, to be inserted; in one of the statuses that the table's caller begins with. */
  begin<Member extends T>(draft: Draft<Member>): Checked<Member>;
  /** The record in another status. Throws {@link InvariantError} when the table has no such step. */
  move<From extends T[Field] & string, To extends Table[From]['to'][number] & T[Field]>(
    record: InStatus<T, Field, From>,
    to: To,
    change: Change<T, Field, InStatus<T, Field, To>>,
  ): Checked<InStatus<T, Field, To>>;
  /** The record with other values in the status that it has. */
  keep<Member extends T>(record: Member, change: Partial<Omit<Member, Field | Stamps>>): Checked<Member>;
  /** The record in the status that a recorded resolution gives it. Throws {@link InvariantError} as `move` does. */
  resolve<From extends T[Field] & string, To extends NonNullable<Table[From]['byResolution']>[number] & T[Field]>(
    record: InStatus<T, Field, From>,
    to: To,
    change: Change<T, Field, InStatus<T, Field, To>>,
  ): Checked<InStatus<T, Field, To>>;
}
