/**
 * Reservations that never expire (specification §2): free capacity per card, trial eligibility per identity, and the
 * window of creations per user. Pure decisions; each is one document, so one fenced write decides. A write keeps the
 * fields that it does not know: while services roll, a newer release writes the same records.
 */
import type { Decision, Draft } from '@platform/durable/steps';
import type { Revisioned } from '@platform/kernel';

/** What happened to a reservation and when, oldest first; the last {@link timelineEntries}. */
export interface TimelineEntry {
  readonly at: Date;
  readonly tenantId: string;
  readonly what: 'reserved' | 'confirmed' | 'released_cancelled' | 'released_not_eligible';
}

export const timelineEntries = 100;

interface Allocation {
  readonly tenantId: string;
  readonly state: 'reserved' | 'confirmed';
}

/** `_id` = sha256 of the card's fingerprint. */
export interface CapacityReservation extends Revisioned {
  readonly allocations: readonly Allocation[];
  readonly timeline: readonly TimelineEntry[];
}

/**
 * `_id` = sha256 of `email:` or `card:` and the identity. Held by `tenantId`, or by no tenant after a recorded release.
 */
export interface TrialReservation extends Revisioned {
  readonly tenantId: string | null;
  /** The creation or checkout that holds it, which may ask again. */
  readonly operationId: string | null;
  readonly timeline: readonly TimelineEntry[];
}

/** `_id` = sha256 of the user. */
export interface CreationWindow extends Revisioned {
  readonly starts: readonly Date[];
}

/**
 * The change of one reservation, or why there is none: it already is as requested, or another holder or the limit
 * refuses it.
 */
export type Reserving<T extends Revisioned> = Decision<Draft<T>, 'as_requested' | 'refused'>;

function appended(timeline: readonly TimelineEntry[], entry: TimelineEntry): readonly TimelineEntry[] {
  return [...timeline, entry].slice(-timelineEntries);
}

export function reserveCapacity(
  id: string,
  read: CapacityReservation | null,
  tenantId: string,
  limit: number,
  now: Date,
): Reserving<CapacityReservation> {
  const { allocations, timeline } = read ?? { allocations: [], timeline: [] };
  if (allocations.some((each) => each.tenantId === tenantId)) return { answer: 'as_requested' };
  if (allocations.length >= limit) return { answer: 'refused' };
  return {
    write: {
      ...read,
      _id: id,
      allocations: [...allocations, { tenantId, state: 'reserved' }],
      timeline: appended(timeline, { at: now, tenantId, what: 'reserved' }),
    },
  };
}

export function confirmCapacity(
  id: string,
  read: CapacityReservation | null,
  tenantId: string,
  now: Date,
): Reserving<CapacityReservation> {
  const held = read?.allocations.find((each) => each.tenantId === tenantId);
  if (!read || !held || held.state === 'confirmed') return { answer: 'as_requested' };
  const allocations = read.allocations.map((each): Allocation =>
    each === held ? { ...held, state: 'confirmed' } : each,
  );
  return {
    write: {
      ...read,
      _id: id,
      allocations,
      timeline: appended(read.timeline, { at: now, tenantId, what: 'confirmed' }),
    },
  };
}

export function releaseCapacity(
  id: string,
  read: CapacityReservation | null,
  tenantId: string,
  now: Date,
): Reserving<CapacityReservation> {
  if (!read?.allocations.some((each) => each.tenantId === tenantId)) return { answer: 'as_requested' };
  return {
    write: {
      ...read,
      _id: id,
      allocations: read.allocations.filter((each) => each.tenantId !== tenantId),
      timeline: appended(read.timeline, { at: now, tenantId, what: 'released_cancelled' }),
    },
  };
}

export function reserveTrial(
  id: string,
  read: TrialReservation | null,
  holder: { readonly tenantId: string; readonly operationId: string },
  now: Date,
): Reserving<TrialReservation> {
  if (read && read.tenantId !== null)
    return read.tenantId === holder.tenantId && read.operationId === holder.operationId
      ? { answer: 'as_requested' }
      : { answer: 'refused' };
  return {
    write: {
      ...read,
      _id: id,
      ...holder,
      timeline: appended(read?.timeline ?? [], { at: now, tenantId: holder.tenantId, what: 'reserved' }),
    },
  };
}

export function releaseTrial(
  id: string,
  read: TrialReservation | null,
  tenantId: string,
  reason: 'released_cancelled' | 'released_not_eligible',
  now: Date,
): Reserving<TrialReservation> {
  if (!read || read.tenantId !== tenantId) return { answer: 'as_requested' };
  return {
    write: {
      ...read,
      _id: id,
      tenantId: null,
      operationId: null,
      timeline: appended(read.timeline, { at: now, tenantId, what: reason }),
    },
  };
}

/** Counts starts, including failed creations: the window limits the work that one caller can cause. */
export function admitCreation(
  id: string,
  read: CreationWindow | null,
  limit: number,
  windowMs: number,
  now: Date,
): Reserving<CreationWindow> {
  const recent = (read?.starts ?? []).filter((start) => start.getTime() > now.getTime() - windowMs);
  return recent.length >= limit ? { answer: 'refused' } : { write: { ...read, _id: id, starts: [...recent, now] } };
}
