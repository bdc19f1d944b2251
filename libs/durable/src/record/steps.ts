/**
 * The table of steps of a record, and the only ways to a draft of the record. A status changes by `move`, or by
 * `resolve` when a person ends an investigation; both follow the table, so a step outside it does not compile, and
 * throws if it is forced.
 */
import { InvariantError, type OutboxEntry, type Revisioned } from '@platform/kernel';
import type { Draft } from '@platform/mongo';

export type { Draft } from '@platform/mongo';

/**
 * The statuses that may follow a status: by running code (`to`), and only by a recorded resolution (`byResolution`).
 */
interface StepsFrom {
  readonly to: readonly string[];
  readonly byResolution?: readonly string[];
}

/** For each status the statuses that may follow it; two empty columns make a final status. */
export type StepTable = { readonly [from: string]: StepsFrom };

type Column = 'to' | 'byResolution';
type Stamp = keyof Revisioned | 'outbox';
declare const checked: unique symbol;

/**
 * A draft that was checked against the table of its record. It carries the type of the record for which it was checked,
 * so a copy with another status is not a checked draft. Stores of records with a table accept nothing else.
 */
export type Checked<T extends Revisioned> = T extends unknown ? Draft<T> & { readonly [checked]: T } : never;

/** The members of a union of records that have this status. */
type InStatus<T, Field extends keyof T, Status> = Extract<T, { readonly [F in Field]: Status }>;

/** The fields that only some statuses have. A step drops those that the next status lacks. */
type OwnField<T, Member> = Member extends unknown ? Exclude<keyof Member, keyof T> : never;

type AnyField<T> = T extends unknown ? keyof T : never;
type ValueOf<T, Field extends PropertyKey> = T extends { readonly [F in Field]?: infer Value } ? Value : never;

/**
 * A record as views read it, whatever its status: fields that only some statuses have are optional. Every record of the
 * union has this type.
 */
export type Facts<T> = Pick<T, keyof T> & {
  readonly [F in Exclude<AnyField<T>, keyof T>]?: ValueOf<T, F>;
};

/** The fields of the next status that the record does not have yet. */
type Missing<T, From, Member> = {
  [K in OwnField<T, Member>]-?: K extends keyof From & keyof Member ? (From[K] extends Member[K] ? never : K) : K;
}[OwnField<T, Member>];

/** The changes of a step: the fields that the new status needs and the record lacks, and any others. */
type Change<T, Field extends keyof T, From, Member> = Member extends unknown
  ? Pick<Member, Missing<T, From, Member> & keyof Member> & Partial<Omit<Member, Field | Stamp>>
  : never;

/** The statuses from which the table leads to `To` in this column. */
type Sources<Table extends StepTable, To, In extends Column> = {
  [From in keyof Table]: Table[From] extends { readonly [C in In]: readonly (infer Next)[] }
    ? To extends Next
      ? From
      : never
    : never;
}[keyof Table];

type Statuses<T, Field extends keyof T> = T[Field] & string;

interface StepsDeclaration<T extends Revisioned, Field extends keyof T & string, Table extends StepTable> {
  /** Names the record in errors: "operation". */
  readonly name: string;
  /** The field that holds the status. */
  readonly field: Field;
  /** The statuses with which a record may be inserted. */
  readonly begins: readonly Statuses<T, Field>[];
  readonly table: Table & { readonly [From in Statuses<T, Field>]: StepsFrom };
  /** For each status, its fields that not every status has. A step drops those that the next status lacks. */
  readonly own: {
    readonly [Status in Statuses<T, Field>]: { readonly [F in OwnField<T, InStatus<T, Field, Status>>]: true };
  };
}

export interface Steps<T extends Revisioned, Field extends keyof T & string, Table extends StepTable> {
  readonly name: string;
  readonly field: Field;
  readonly begins: readonly Statuses<T, Field>[];
  readonly table: Table;
  /** The draft of a new record. Throws {@link InvariantError} for a status that no record begins with. */
  begin<Member extends T>(draft: Draft<Member>): Checked<Member>;
  /** The record in another status. Throws {@link InvariantError} when the table has no such step for running code. */
  move<To extends Statuses<T, Field>, From extends InStatus<T, Field, Sources<Table, To, 'to'>>>(
    record: From,
    to: To,
    change: Change<T, Field, From, InStatus<T, Field, To>>,
  ): Checked<InStatus<T, Field, To>>;
  /** The record in the status that follows from a recorded resolution. Throws {@link InvariantError} as `move` does. */
  resolve<To extends Statuses<T, Field>, From extends InStatus<T, Field, Sources<Table, To, 'byResolution'>>>(
    record: From,
    to: To,
    change: Change<T, Field, From, InStatus<T, Field, To>>,
  ): Checked<InStatus<T, Field, To>>;
  /** The record with other values, in its current status. */
  keep<Member extends T>(
    record: Member,
    change: Member extends unknown ? Partial<Omit<Member, Field | Stamp>> : never,
  ): Checked<Member>;
}

/** The steps of a record. The type argument is the union of the record's statuses: `defineSteps<Operation>()({ … })`. */
export function defineSteps<T extends Revisioned>() {
  return <Field extends keyof T & string, const Table extends StepTable>(
    declaration: StepsDeclaration<T, Field, Table>,
  ): Steps<T, Field, Table> => {
    const { name, field, begins, table, own } = declaration;
    const step = (record: object, column: Column, to: string, change: object) => {
      const { _id, [field]: from } = record as { readonly _id: string; readonly [field: string]: unknown };
      const row = (table as StepTable)[String(from)];
      if (!row?.[column]?.includes(to))
        throw new InvariantError(
          `${name} ${_id}: no step from ${String(from)} to ${to}${column === 'to' ? '' : ' by a resolution'}`,
        );
      const fieldsOf = (status: unknown) => own[status as Statuses<T, Field>] as Readonly<Record<string, true>>;
      const [left, next] = [fieldsOf(from), fieldsOf(to)];
      return draftOf(record, (key) => key in left && !(key in next), { [field]: to, ...change });
    };
    return {
      name,
      field,
      begins,
      table,
      begin: (draft) => {
        const status = (draft as { readonly [field: string]: unknown })[field] as Statuses<T, Field>;
        if (!begins.includes(status)) throw new InvariantError(`${name}: no record begins as ${status}`);
        return draft as never;
      },
      move: (record, to, change) => step(record, 'to', to, change) as never,
      resolve: (record, to, change) => step(record, 'byResolution', to, change) as never,
      keep: (record, change) => {
        if (field in change) throw new InvariantError(`${name} ${record._id}: a change of values names a status`);
        return draftOf(record, () => false, change) as never;
      },
    };
  };
}

const stamps: ReadonlySet<string> = new Set<Stamp>(['_id', 'revision', 'createdAt', 'updatedAt', 'outbox']);

/**
 * A copy without the fields that the store adds and without dropped fields; fields that were changed to undefined are
 * removed.
 */
function draftOf(record: object, dropped: (key: string) => boolean, change: object): object {
  const [before, changed] = [record as Readonly<Record<string, unknown>>, change as Readonly<Record<string, unknown>>];
  const draft: Record<string, unknown> = { _id: before['_id'] };
  for (const key of Object.keys(before)) {
    if (stamps.has(key) || dropped(key)) continue;
    const value = Object.hasOwn(changed, key) ? changed[key] : before[key];
    if (value !== undefined) draft[key] = value;
  }
  for (const key of Object.keys(changed)) if (changed[key] !== undefined) draft[key] = changed[key];
  return draft;
}

/** A fenced write of a decision. */
export interface Write<Next> {
  readonly write: Next;
  /** Messages that the same write adds to the record's outbox. */
  readonly announce?: readonly OutboxEntry[];
}

/** A write, or the answer when nothing is written. */
export type Decision<Next, Answer> = Write<Next> | { readonly answer: Answer };
