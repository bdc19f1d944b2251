/**
 * What people did about a case, entry by entry; who has it and how far they are follows from the entries' effects. The record
 * that the case is about is owned elsewhere and never changed from here.
 */
import { caseWorkLimits, type CaseStand, type CaseWorkRequest, type WorkKind } from '@platform/contracts-operator';
import { ok, refused, type Result, type Revisioned } from '@platform/kernel';

/** What a pinned case said, in short; the whole is a record of its own. */
interface PinSummary {
  readonly digest: string;
  readonly status: string;
  readonly money: string;
  readonly running: string;
}

type Asked = CaseWorkRequest;
type NoteAsked = Extract<Asked, { what: 'note' }>;
type AssignmentAsked = Extract<Asked, { what: 'assigned' }>;
type StateAsked = Extract<Asked, { what: 'state' }>;
type PinAsked = Extract<Asked, { what: 'pinned' }>;

interface Written {
  readonly at: Date;
  /** E-mail address. */
  readonly by: string;
}
type CaseEntry = Written &
  (NoteAsked | Omit<AssignmentAsked, 'from'> | StateAsked | (PinAsked & { readonly pin: PinSummary }));

/** An entry as asked for, with who asks; a pin already has what it pins. */
export type NewEntry = Written & (NoteAsked | AssignmentAsked | StateAsked | (PinAsked & { readonly pin: PinSummary }));

export interface CaseWork extends Revisioned {
  readonly kind: WorkKind;
  readonly itemId: string;
  readonly state: StateAsked['state'];
  readonly waitingFor?: string;
  /** E-mail address in lower case. */
  readonly assignee: string | null;
  /** Oldest first. */
  readonly entries: readonly CaseEntry[];
}

/** As it is written; the store stamps the rest. */
export type CaseWorkDraft = Omit<CaseWork, 'revision' | 'createdAt' | 'updatedAt' | 'outbox'>;

export type CaseWorkRefusal = 'case_assigned' | 'case_work_full' | 'entry_id_reused';

export function firstWork(key: string, kind: WorkKind, itemId: string): CaseWorkDraft {
  return { _id: key, kind, itemId, state: 'new', assignee: null, entries: [] };
}

/** The work with the entry in it; as it is when the very entry is in it already. */
export function withEntry<T extends CaseWorkDraft>(
  work: T,
  entry: NewEntry,
): Result<T | CaseWorkDraft, CaseWorkRefusal> {
  const known = work.entries.find(({ entryId }) => entryId === entry.entryId);
  if (known) return isSame(known, entry) ? ok(work) : refused('entry_id_reused');
  if (work.entries.length >= caseWorkLimits.entries) return refused('case_work_full');
  const entries = (added: CaseEntry) => [...work.entries, added];
  if (entry.what === 'assigned') {
    const { from, to, ...rest } = entry;
    if (lower(from) !== work.assignee) return refused('case_assigned');
    return ok({ ...work, assignee: lower(to), entries: entries({ ...rest, to: lower(to) }) });
  }
  if (entry.what !== 'state') return ok({ ...work, entries: entries(entry) });
  const { waitingFor: _before, ...rest } = work;
  const waits = entry.state === 'waiting_for' && entry.text !== undefined;
  return ok({ ...rest, state: entry.state, ...(waits && { waitingFor: entry.text }), entries: entries(entry) });
}

function isSame(known: CaseEntry, entry: NewEntry): boolean {
  const said = ({ what, by, ...rest }: CaseEntry | NewEntry) => {
    const { text, state, to } = rest as { text?: string; state?: string; to?: string | null };
    return JSON.stringify([what, by, text, state, to === undefined ? undefined : lower(to)]);
  };
  return said(known) === said(entry);
}

const lower = (email: string | null): string | null => email?.toLowerCase() ?? null;

/** A proposal that has not expired goes before what people set. */
export function standOf(work: CaseWork | null, proposed: 'proposed' | 'approved' | undefined): CaseStand | undefined {
  if (!work && proposed === undefined) return undefined;
  const { state = 'new', assignee = null, waitingFor } = work ?? {};
  return { state: proposed ?? state, assignee, ...(waitingFor !== undefined && { waitingFor }) };
}
