/**
 * What surrounds an off-line command: the provider that it reads, the clock by which that provider may still act, and
 * whether this is the local platform. That is so where the provider is the twin, which no deployment can name.
 */
import { Misuse } from '@platform/command-line';
import type { Clock } from '@platform/kernel';
import { createStripeProvider, type PaymentProvider } from '@platform/payment-provider';
import { z } from 'zod';

type Environment = Readonly<Record<string, string | undefined>>;

export interface Surroundings {
  /** Opened when it is first asked for. Throws `Misuse` where none is named. */
  provider(): PaymentProvider;
  /** The database's clock, moved on by what the twin's was moved on by since a request was sent. Never before it. */
  providerNow(sentAt: Date, clock: Clock): Promise<Date>;
  /** Whether the provider is the twin. */
  isLocal(): Promise<boolean>;
  close(): void;
}

const providerWaitMs = 10_000;
const twinWaitMs = 2_000;
const clockSchema = z.object({ moves: z.array(z.object({ at: z.iso.datetime(), seconds: z.number() })) });
type TwinClock = z.infer<typeof clockSchema>;

/** STRIPE_SECRET_KEY, at STRIPE_API_BASE where it is given. Nothing is guessed: infra/local/ops.mjs names the twin. */
export function openSurroundings(environment: Environment = process.env): Surroundings {
  const { STRIPE_SECRET_KEY: secretKey, STRIPE_API_BASE: apiBase } = environment;
  let opened: ReturnType<typeof createStripeProvider> | undefined;
  return {
    provider() {
      if (!secretKey) throw new Misuse('STRIPE_SECRET_KEY is not set: the payment provider is asked');
      opened ??= createStripeProvider({ secretKey, ...(apiBase && { apiBase }), timeoutMs: providerWaitMs });
      return opened;
    },
    isLocal: async () => (await twinClock(apiBase)) !== null,
    async providerNow(sentAt, clock) {
      const moved = ((await twinClock(apiBase))?.moves ?? []).filter(({ at }) => new Date(at) >= sentAt);
      const seconds = moved.reduce((sum, move) => sum + move.seconds, 0);
      return new Date(clock.now().getTime() + seconds * 1_000);
    },
    close: () => opened?.close(),
  };
}

async function twinClock(twin: string | undefined): Promise<TwinClock | null> {
  if (!twin) return null;
  try {
    const answer = await fetch(new URL('/_twin/clock', twin), { signal: AbortSignal.timeout(twinWaitMs) });
    return clockSchema.parse(await answer.json());
  } catch {
    // No twin, or none that answers: nothing was moved, and nothing is local.
    return null;
  }
}
