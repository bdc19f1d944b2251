/** The end of an investigation of an event, recorded off-line: both proofs, one fenced write, no effect (contracts §3). */
import { ok, refused, type Clock, type Result } from '@platform/kernel';
import type { CheckedCollection } from '@platform/durable/record';
import {
  isResolved,
  resolve,
  type PendingEvent,
  type Resolution,
  type ResolvedEvent,
  type StoppedEvent,
  type WebhookEvent,
} from '../domain/webhook-event';

export interface ResolvePorts {
  readonly events: CheckedCollection<WebhookEvent>;
  readonly clock: Clock;
}

export interface ResolutionRequest {
  readonly eventId: string;
  /** `applied`: the event's effect stands (result success). `not_applied`: it does not and will not (result skipped). */
  readonly outcome: 'applied' | 'not_applied';
  readonly executorStopped: string;
  readonly by: string;
}

export interface PlannedResolution {
  readonly event: PendingEvent | StoppedEvent;
  readonly resolution: Resolution;
}

const proofCharacters = { min: 10, max: 2_000 };

/** Checks the proofs and says what would be written; changes nothing. */
export async function planResolution(
  ports: ResolvePorts,
  request: ResolutionRequest,
): Promise<Result<PlannedResolution, string>> {
  const event = await ports.events.findById(request.eventId);
  if (!event) return refused('There is no such event.');
  if (isResolved(event)) return refused(`The event is ${event.result}: there is nothing to resolve.`);
  const executorStopped = request.executorStopped.trim();
  if (executorStopped.length < proofCharacters.min || executorStopped.length > proofCharacters.max) {
    return refused(
      `The first proof is missing: say in ${proofCharacters.min} to ${proofCharacters.max} characters how you know that the handler is stopped (--executor-stopped).`,
    );
  }
  if (!/^[^\s@]+@[^\s@]+$/.test(request.by)) return refused('Say who resolves it, by e-mail address (--by).');
  const resolution: Resolution = { outcome: request.outcome, executorStopped, by: request.by, at: ports.clock.now() };
  return ok({ event, resolution });
}

/** Writes the planned resolution. Refused when the record changed since it was read. */
export async function recordResolution(
  ports: ResolvePorts,
  { event, resolution }: PlannedResolution,
): Promise<Result<ResolvedEvent, string>> {
  // Stamped now, not when it was planned: the trail takes resolutions in by their time.
  const written = await ports.events.mutate(event, resolve(event, { ...resolution, at: ports.clock.now() }));
  if (written.outcome === 'unknown')
    return refused(`It is not known whether the resolution was written (${written.reason}). Read the event again.`);
  if (written.outcome === 'not_applied')
    return refused(
      'The record has changed since it was read (perhaps a redelivery was counted). Read it again and judge anew.',
    );
  return ok(written.record as ResolvedEvent);
}
