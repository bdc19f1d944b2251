/**
 * The environment of an off-line command: the provider that it reads, the clock by which that provider may still act,
 * and whether this is the local platform. It is local when the provider is the twin, which no deployment can name.
 */
import { Misuse } from '@platform/command-line';
import type { Clock } from '@platform/kernel';
import { createStripeProvider, type PaymentProvider } from '@platform/payment-provider';
import { z } from 'zod';

type Environment = Readonly<Record<string, string | undefined>>;

export interface Surroundings {
  /** Opened on first use. Throws `Misuse` when none is named. */
  provider(): PaymentProvider;
  /**
   * The database's clock, advanced by as much as the twin's clock was moved since the request was sent; never before
   * that time.
   */
  providerNow(sentAt: Date, clock: Clock): Promise<Date>;
  /** Whether the provider is the twin. Throws when it gives no answer: silence proves neither. */
  isLocal(): Promise<boolean>;
  close(): void;
}

const providerWaitMs = 10_000;
const twinWaitMs = 30_000;
const clockSchema = z.object({ moves: z.array(z.object({ at: z.iso.datetime(), seconds: z.number() })) });
type TwinClock = z.infer<typeof clockSchema>;

/** STRIPE_SECRET_KEY, at STRIPE_API_BASE if that is set. No default is assumed: infra/local/ops.mjs names the twin. */
export function openSurroundings(environment: Environment = process.env, waitMs = twinWaitMs): Surroundings {
  const { STRIPE_SECRET_KEY: secretKey, STRIPE_API_BASE: apiBase } = environment;
  let opened: ReturnType<typeof createStripeProvider> | undefined;
  return {
    provider() {
      if (!secretKey) throw new Misuse('STRIPE_SECRET_KEY is not set: the payment provider is asked');
      opened ??= createStripeProvider({ secretKey, ...(apiBase && { apiBase }), timeoutMs: providerWaitMs });
      return opened;
    },
    isLocal: async () => (await twinClock(apiBase, waitMs)) !== null,
    async providerNow(sentAt, clock) {
      const moved = ((await twinClock(apiBase, waitMs))?.moves ?? []).filter(({ at }) => new Date(at) >= sentAt);
      const seconds = moved.reduce((sum, move) => sum + move.seconds, 0);
      return new Date(clock.now().getTime() + seconds * 1_000);
    },
    close: () => opened?.close(),
  };
}

async function twinClock(twin: string | undefined, waitMs: number): Promise<TwinClock | null> {
  if (!twin) return null;
  try {
    const answer = await fetch(new URL('/_twin/clock', twin), { signal: AbortSignal.timeout(waitMs) });
    return clockSchema.parse(await answer.json());
  } catch (error) {
    if ((error as { readonly name?: unknown }).name === 'TimeoutError')
      throw new Error(
        `The provider at STRIPE_API_BASE gave no answer within ${waitMs / 1_000} s, so it is not known whether this is the local platform. Nothing was written; run the command again.`,
        { cause: error },
      );
    // An answer of another kind, or none at all: its clock was not moved, and this is not the local platform.
    return null;
  }
}
