/** Begins, reads and ends sessions of the console and the owner's pages. Every replica reads them from the store, so signing out counts at once. */
import { createHash, randomBytes } from 'node:crypto';
import type { Caller, Revoked, SignedInPerson } from '@platform/http-server';
import type { Clock } from '@platform/kernel';
import { StoreUnavailableError, type RevisionedCollection } from '@platform/mongo';
import { hasEnded, isNoted, type SessionLimits } from '../domain/console-session';
import type { PersonSession } from '../store/console-sessions';

export interface SessionPorts {
  readonly sessions: RevisionedCollection<PersonSession>;
  readonly clock: Clock;
  readonly limits: SessionLimits;
  /** People whose sessions were ended early. */
  readonly revoked: Revoked;
}

const valueBytes = 32;
const valuePattern = /^[A-Za-z0-9_-]{43}$/;
const pageSize = 200;

const idOf = (value: string): string => createHash('sha256').update(value).digest('hex');

/** The content of a new session's cookie. Throws StoreUnavailableError unless the session is known to be stored. */
export async function beginSession({ sessions, clock, limits }: SessionPorts, person: SignedInPerson): Promise<string> {
  const value = randomBytes(valueBytes).toString('base64url');
  const now = clock.now();
  const kept = await sessions.insert({
    _id: idOf(value),
    ...person,
    endsAt: new Date(now.getTime() + limits.lifeMs),
    usedAt: now,
  });
  if (kept.outcome !== 'applied') throw new StoreUnavailableError('the session is not known to be kept');
  return value;
}

/**
 * The person of this cookie's session; undefined when the session has ended or never existed. Throws
 * StoreUnavailableError.
 */
export async function callerOfSession(ports: SessionPorts, value: string): Promise<Caller | undefined> {
  const { sessions, clock, limits, revoked } = ports;
  const session = valuePattern.test(value) ? await sessions.findById(idOf(value)) : null;
  const now = clock.now();
  if (!session || hasEnded(session, limits, now)) return undefined;
  const { _id: id, subject, email, role, consumers, workspaces } = session;
  const person = { subject, email, role, ...(consumers && { consumers }), ...(workspaces && { workspaces }) };
  if (revoked({ id, subject })) return undefined;
  // A write that loses to another replica does no harm: one note of the use is enough, and the next use tries again.
  if (isNoted(session, now)) await sessions.mutate(session, { ...session, usedAt: now });
  return { workspaces: {}, permissions: [], ...person };
}

/** Ends the session of this cookie for all replicas. Throws StoreUnavailableError when the end may not be stored. */
export async function endSession({ sessions }: SessionPorts, value: string): Promise<void> {
  if (!valuePattern.test(value)) return;
  for (;;) {
    const session = await sessions.findById(idOf(value));
    if (!session) return;
    const { outcome } = await sessions.remove(session);
    if (outcome === 'applied') return;
    if (outcome === 'unknown') throw new StoreUnavailableError('the session is not known to have ended');
  }
}

/** Housekeeping: removes expired sessions; returns how many. Throws StoreUnavailableError. */
export async function removeEndedSessions(
  { sessions, clock }: SessionPorts,
  stopping: () => boolean = () => false,
): Promise<number> {
  const before = { endsAt: { $lte: clock.now() } };
  let removed = 0;
  for (;;) {
    const ended = await sessions.find(before, { sort: { endsAt: 1, _id: 1 }, limit: pageSize });
    for (const session of ended) {
      if (stopping()) return removed;
      if ((await sessions.remove(session)).outcome === 'applied') removed += 1;
    }
    if (ended.length < pageSize) return removed;
  }
}
