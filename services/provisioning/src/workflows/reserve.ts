/**
 * Taking, confirming and releasing reservations (specification §2). They never expire; a release is always recorded.
 */
import { decide, type DecidePorts } from '@platform/durable/record';
import type { Revisioned } from '@platform/kernel';
import type { RevisionedCollection } from '@platform/mongo';
import { cardTrialKey, emailTrialKey, workspaceTrialKey } from '../domain/identity';
import { attemptSteps, type Attempt, type EndedAttempt } from '../domain/attempt';
import {
  admitCreation,
  confirmCapacity,
  releaseCapacity,
  releaseTrial,
  reserveCapacity,
  reserveTrial,
  type Reserving,
} from '../domain/reservation';
import type { ProvisioningPorts } from './ports';

export type ReservePorts = Pick<
  ProvisioningPorts,
  'capacity' | 'trials' | 'windows' | 'attempts' | 'limits' | 'clock' | 'databaseNow' | 'retryPolicy' | 'mutex'
>;

/** `unknown`: the store did not answer within the retry policy; the reservation may or may not be as requested. */
export type Reserved = 'as_requested' | 'refused' | 'unknown';

/** One decision on one reservation. */
export async function reserveFenced<T extends Revisioned>(
  ports: DecidePorts,
  collection: RevisionedCollection<T>,
  key: string,
  reserving: (read: T | null) => Reserving<T>,
): Promise<Reserved> {
  const decided = await decide(ports, collection, key, reserving);
  if (decided.kind === 'written') return 'as_requested';
  return decided.kind === 'answered' ? decided.answer : 'unknown';
}

/** Reserves one free workspace of a card for this tenant; a tenant that has it already gets the same answer. */
export function takeCapacity(ports: ReservePorts, key: string, tenantId: string): Promise<Reserved> {
  return reserveFenced(ports, ports.capacity, key, (read) =>
    reserveCapacity(key, read, tenantId, ports.limits.freeWorkspacesPerCard, ports.clock.now()),
  );
}

/** Throws StoreUnavailableError when the database's clock cannot be read; then nothing was reserved. */
export async function takeCreationStart(ports: ReservePorts, key: string): Promise<Reserved> {
  const now = await ports.databaseNow();
  return reserveFenced(ports, ports.windows, key, (read) =>
    admitCreation(key, read, ports.limits.creationsPerUser, ports.limits.creationWindowMs, now),
  );
}

/** Reserves all identities or none: when a later one is taken, the earlier ones are released. */
export async function takeTrial(
  ports: ReservePorts,
  keys: readonly string[],
  holder: { readonly tenantId: string; readonly operationId: string },
): Promise<Reserved> {
  for (const [position, key] of keys.entries()) {
    const decided = await reserveFenced(ports, ports.trials, key, (read) =>
      reserveTrial(key, read, holder, ports.clock.now()),
    );
    if (decided === 'unknown') return 'unknown';
    if (decided === 'as_requested') continue;
    for (const earlier of keys.slice(0, position)) {
      if ((await giveTrialBack(ports, earlier, holder.tenantId, 'released_not_eligible')) === 'unknown')
        return 'unknown';
    }
    return 'refused';
  }
  return 'as_requested';
}

function giveTrialBack(
  ports: ReservePorts,
  key: string,
  tenantId: string,
  reason: 'released_cancelled' | 'released_not_eligible',
): Promise<Reserved> {
  return reserveFenced(ports, ports.trials, key, (read) =>
    releaseTrial(key, read, tenantId, reason, ports.clock.now()),
  );
}

/** The identities by which a trial is reserved: e-mail first, then every card. */
export function trialKeysOf(email: string, cardFingerprints: readonly string[]): string[] {
  return [emailTrialKey(email), ...new Set(cardFingerprints.map(cardTrialKey))];
}

/** A checkout may come from another owner of the same workspace, so the workspace is one of the identities. */
export function checkoutTrialKeysOf(tenantId: string, email: string, cardFingerprints: readonly string[]): string[] {
  return [workspaceTrialKey(tenantId), ...trialKeysOf(email, cardFingerprints)];
}

/**
 * Binds the free ones of these identities to a trial that a page has sold. An identity with another holder stays with
 * that holder, and `held` reports it: this trial is a second one. The same holder may ask again and gets the same
 * answer.
 */
export async function bindTrial(
  ports: ReservePorts,
  keys: readonly string[],
  holder: { readonly tenantId: string; readonly operationId: string },
): Promise<'bound' | 'held' | 'unknown'> {
  let held = false;
  for (const key of keys) {
    const decided = await reserveFenced(ports, ports.trials, key, (read) =>
      reserveTrial(key, read, holder, ports.clock.now()),
    );
    if (decided === 'unknown') return 'unknown';
    held ||= decided === 'refused';
  }
  return held ? 'held' : 'bound';
}

/**
 * Passes the attempt's end to the reservations: confirmed for a committed attempt, released for a cancelled one.
 * Repeating it is harmless; false when it must be repeated.
 */
export async function settleReservations(ports: ReservePorts, attempt: Attempt): Promise<boolean> {
  if (attempt.status !== 'committed' && attempt.status !== 'cancelled') return false;
  const { capacityKey, trialKeys, state } = attempt.reservations;
  if (state === 'settled') return true;
  const { tenantId } = attempt;
  const settled: Reserved[] = [];
  if (capacityKey !== undefined) {
    const change = attempt.status === 'committed' ? confirmCapacity : releaseCapacity;
    settled.push(
      await reserveFenced(ports, ports.capacity, capacityKey, (read) =>
        change(capacityKey, read, tenantId, ports.clock.now()),
      ),
    );
  }
  if (attempt.status === 'cancelled')
    for (const key of trialKeys) settled.push(await giveTrialBack(ports, key, tenantId, 'released_cancelled'));
  if (settled.includes('unknown')) return false;
  const settledAttempt = attemptSteps.keep<EndedAttempt>(attempt, {
    reservations: { ...attempt.reservations, state: 'settled' },
  });
  const written = await ports.attempts.mutate(attempt, settledAttempt);
  return written.outcome === 'applied';
}
