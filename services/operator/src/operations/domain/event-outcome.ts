/** The outcome of a provider event, in the terms that all its handlers share; it is sent back to the receiver. */
import type { ProviderEventOutcome } from '@platform/contracts-provisioning';

export interface HandlerOutcome {
  readonly outcome: ProviderEventOutcome;
  readonly error?: string;
  /** The workspace that the event concerns, where one was found. */
  readonly tenantId?: string | undefined;
  /** Another executor is at work on the same record: nothing was done, and a later look may find its end. */
  readonly busy?: true;
}

export const handled: HandlerOutcome = { outcome: 'success' };
export const skipped = (error: string): HandlerOutcome => ({ outcome: 'skipped', error });
export const failedWith = (error: string): HandlerOutcome => ({ outcome: 'failed', error });
export const notKnown = (error: string): HandlerOutcome => ({ outcome: 'unknown', error });
export const busyWith = (error: string): HandlerOutcome => ({ outcome: 'failed', error, busy: true });
