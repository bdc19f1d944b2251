/**
 * What surrounds an off-line command: the provider that it reads, the clock by which that provider may still act, and
 * whether this is the local platform. That is so where the provider is the twin, which no deployment can name.
 */
import type { Clock } from '@platform/kernel';
import { createStripeProvider, type PaymentProvider } from '@platform/payment-provider';
import { z } from 'zod';

type Environment = Readonly<Record<string, string | undefined>>;

export interface Surroundings {
  readonly provider: PaymentProvider & { close(): void };
  /** The database's clock, moved on by what the twin's was moved on by since a request was sent. Never before it. */
  providerNow(sentAt: Date, clock: Clock): Promise<Date>;
  /** Whether the provider is the twin. */
  isLocal(): Promise<boolean>;
}

const providerWaitMs = 10_000;
const twinWaitMs = 2_000;
const offsets = { database: 17, twin: 90 };
const defaultBase = 7_000;
const loopback = /^mongodb:\/\/(?:127\.0\.0\.1|localhost):(\d+)/;

const clockSchema = z.object({ moves: z.array(z.object({ at: z.iso.datetime(), seconds: z.number() })) });
type TwinClock = z.infer<typeof clockSchema>;

/** The first port of the local platform: of the environment, else the one to which its database belongs. */
export function portBaseOf({ PORT_BASE, MONGODB_URL }: Environment): number {
  if (PORT_BASE !== undefined) return Number(PORT_BASE);
  const port = loopback.exec(MONGODB_URL ?? '')?.[1];
  return port === undefined ? defaultBase : Number(port) - offsets.database;
}

/** The provider's own address for STRIPE_SECRET_KEY, STRIPE_API_BASE where it is given, else the twin of the local platform. */
export function openSurroundings(environment: Environment = process.env): Surroundings {
  const { STRIPE_SECRET_KEY: key, STRIPE_API_BASE: given } = environment;
  const twin = given ?? (key === undefined ? `http://127.0.0.1:${portBaseOf(environment) + offsets.twin}` : undefined);
  const provider = createStripeProvider({
    secretKey: key ?? 'sk_test_local_investigation',
    ...(twin !== undefined && { apiBase: twin }),
    timeoutMs: providerWaitMs,
  });
  return {
    provider,
    isLocal: async () => (await twinClock(twin)) !== null,
    async providerNow(sentAt, clock) {
      const moved = ((await twinClock(twin))?.moves ?? []).filter(({ at }) => new Date(at) >= sentAt);
      const seconds = moved.reduce((sum, move) => sum + move.seconds, 0);
      return new Date(clock.now().getTime() + seconds * 1_000);
    },
  };
}

async function twinClock(twin: string | undefined): Promise<TwinClock | null> {
  if (twin === undefined) return null;
  try {
    const answer = await fetch(new URL('/_twin/clock', twin), { signal: AbortSignal.timeout(twinWaitMs) });
    return clockSchema.parse(await answer.json());
  } catch {
    // No twin, or none that answers: nothing was moved, and nothing is local.
    return null;
  }
}
