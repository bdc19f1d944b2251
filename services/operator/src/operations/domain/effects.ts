/**
 * Provider effects as data: an action lists them, and the workflow performs them in that order and journals each. The
 * provider library's table defines the effects and their values; this file adds what an action may leave out.
 */
import type { Effect as SendableEffect, EffectStep } from '@platform/payment-provider/effects';

export type { EffectAnswer, EffectStep as ProviderStep } from '@platform/payment-provider/effects';

/** Steps whose effect no later change can hide. */
export const lastingSteps: ReadonlySet<string> = new Set<EffectStep>([
  'balance_credit',
  'create_session',
  'create_customer',
]);

/** Steps whose answer says more than an id: a later step of a retry needs it, unless the checkpoint has it. */
export const stepsToRepeat: ReadonlySet<string> = new Set<EffectStep>(['create_schedule']);

export type Effect =
  | (SendableEffect & {
      /** A refusal because the provider no longer has the object counts as done: there is nothing left to end. */
      readonly unlessAbsent?: true;
      /**
       * A refusal because the card holder must confirm does not end the attempt: the next step waits for the
       * confirmation.
       */
      readonly orConfirmed?: true;
    })
  /** The step does not apply here; it is recorded as skipped and never sent. */
  | { readonly step: EffectStep; readonly skipped: string };
