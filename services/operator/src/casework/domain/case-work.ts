/**
 * People's work on a case, entry by entry; assignee and progress follow from the effects of the entries. The record
 * that the case is about belongs to another part and is never changed here.
 */
import { caseWorkLimits, type CaseProgress, type CaseWorkRequest, type WorkKind } from '@platform/contracts-operator';
import { ok, refused, type Result, type Revisioned } from '@platform/kernel';

/** Summary of a pinned case; the complete case is a separate record. */
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

/** An entry as requested, with its author; a pin already has its content. */
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

/** The record without the fields that the store adds. */
export type CaseWorkDraft = Omit<CaseWork, 'revision' | 'createdAt' | 'updatedAt' | 'outbox'>;

export type CaseWorkRefusal = 'case_assigned' | 'case_work_full' | 'entry_id_reused';

export function firstWork(key: string, kind: WorkKind, itemId: string): CaseWorkDraft {
  return { _id: key, kind, itemId, state: 'new', assignee: null, entries: [] };
}

/** The work with the entry added; unchanged when it already contains this entry. */
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

/** A proposal that has not expired takes precedence over a state that people set. */
export function progressOf(
  work: CaseWork | null,
  proposed: 'proposed' | 'approved' | undefined,
): CaseProgress | undefined {
  if (!work && proposed === undefined) return undefined;
  const { state = 'new', assignee = null, waitingFor } = work ?? {};
  return { state: proposed ?? state, assignee, ...(waitingFor !== undefined && { waitingFor }) };
}
