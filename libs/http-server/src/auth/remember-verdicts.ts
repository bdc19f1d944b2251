/**
 * Avoids verifying a token again that was verified moments ago: callers send one token with every request, and
 * verifying a signature costs more than the rest of a read. Only good tokens are remembered, and only briefly, so that
 * the removal of a key takes effect soon; a token's expiry is checked at every use.
 */
import type { Clock } from '@platform/kernel';
import type { Caller } from './claims';

export interface VerifiedToken {
  readonly id: string;
  readonly subject: string;
  readonly caller: Caller;
  /** The end of the token in seconds since the epoch, including the tolerance. */
  readonly endsAtSeconds: number;
}

/** How long a verdict is used. */
export const rememberedSeconds = 30;
/** How many tokens are remembered; the oldest entry is dropped first. */
export const rememberedTokens = 1_000;

export interface RememberedVerdicts {
  /** A token that was found good within the last `rememberedSeconds` and has not ended; otherwise undefined. */
  recall(token: string): VerifiedToken | undefined;
  remember(token: string, verified: VerifiedToken): void;
}

/** An empty memory. */
export function createRememberedVerdicts(clock: Clock): RememberedVerdicts {
  const verified = new Map<string, VerifiedToken & { readonly fromSeconds: number }>();
  const nowSeconds = (): number => clock.now().getTime() / 1_000;
  return {
    recall: (token) => {
      const known = verified.get(token);
      if (!known) return undefined;
      const now = nowSeconds();
      // A clock that was set back does not show the elapsed time.
      if (now >= known.fromSeconds && now < known.fromSeconds + rememberedSeconds && now < known.endsAtSeconds)
        return known;
      verified.delete(token);
      return undefined;
    },
    remember: (token, found) => {
      verified.delete(token);
      verified.set(token, { ...found, fromSeconds: nowSeconds() });
      const [oldest] = verified.keys();
      if (verified.size > rememberedTokens && oldest !== undefined) verified.delete(oldest);
    },
  };
}
