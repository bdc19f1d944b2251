/**
 * Adds one entry to the work on a case, and reads it. The caller chooses the entry's id, so a repeat after a lost
 * answer adds nothing. Two people who add at once both succeed, unless both change the assignee.
 */
import type { CaseView, CaseWorkRequest, WorkKind } from '@platform/contracts-operator';
import { digestOf, ok, type Clock, type Result } from '@platform/kernel';
import { StoreUnavailableError, type RevisionedCollection } from '@platform/mongo';
import { pinKey, type CasePin } from '../domain/case-pin';
import {
  firstWork,
  withEntry,
  type CaseWork,
  type CaseWorkDraft,
  type CaseWorkRefusal,
  type NewEntry,
} from '../domain/case-work';

export interface CaseWorkPorts {
  readonly work: RevisionedCollection<CaseWork>;
  readonly pins: RevisionedCollection<CasePin>;
  readonly clock: Clock;
}

/** Also the key of the work queue's row. */
export const caseKey = (kind: WorkKind, itemId: string): string => `${kind}:${itemId}`;

const tries = 6;

/** `view`: the current case; requested for a pin only. Throws StoreUnavailableError. */
export async function workOnCase(
  ports: CaseWorkPorts,
  kind: WorkKind,
  itemId: string,
  asked: CaseWorkRequest & { readonly by: string },
  view: CaseView | undefined,
): Promise<Result<CaseWork, CaseWorkRefusal>> {
  const entry = await entryOf(ports, kind, itemId, asked, view);
  const key = caseKey(kind, itemId);
  for (let tried = 0; tried < tries; tried += 1) {
    const standing = await ports.work.findById(key);
    const next = withEntry<CaseWork | CaseWorkDraft>(standing ?? firstWork(key, kind, itemId), entry);
    if (!next.ok) return next;
    if (standing && next.value === standing) return ok(standing);
    const written = standing ? await ports.work.mutate(standing, next.value) : await ports.work.insert(next.value);
    if (written.outcome === 'applied') return ok(written.record);
    // Another person wrote first, or the answer was lost: the entry's id shows which.
  }
  throw new StoreUnavailableError('the entry is not known to be written');
}

async function entryOf(
  { pins, clock }: CaseWorkPorts,
  kind: WorkKind,
  itemId: string,
  asked: CaseWorkRequest & { readonly by: string },
  view: CaseView | undefined,
): Promise<NewEntry> {
  const at = clock.now();
  if (asked.what !== 'pinned') return { ...asked, at };
  if (!view) throw new StoreUnavailableError('the case that is to be pinned was not read');
  const _id = pinKey(kind, itemId, asked.entryId);
  const draft = { _id, kind, itemId, pinnedAt: at, pinnedBy: asked.by, digest: digestOf(view), view };
  const written = await pins.insert(draft);
  if (written.outcome === 'unknown') throw new StoreUnavailableError('the pinned case is not known to be written');
  const pin = written.outcome === 'applied' ? written.record : written.existing;
  if (!pin) throw new StoreUnavailableError('the pinned case cannot be read back');
  const { money, running } = pin.view.verdict;
  const summary = { status: pin.view.status, money: money.answer, running: running.answer };
  return { ...asked, at: pin.pinnedAt, pin: { digest: pin.digest, ...summary } };
}

export function readPin(
  { pins }: Pick<CaseWorkPorts, 'pins'>,
  kind: WorkKind,
  itemId: string,
  entryId: string,
): Promise<CasePin | null> {
  return pins.findById(pinKey(kind, itemId, entryId));
}
