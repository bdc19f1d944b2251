/**
 * Two budgets of requests: one per address, used before a token is verified (so guessing tokens costs), and one per
 * caller, used after. Counts are in this process; with n replicas a caller has up to n times the budget.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { problem, Refusal } from '../problem';

export interface RateLimit {
  /** Requests per window and address. */
  readonly perAddress: number;
  /** Requests per window and caller (the token's subject). */
  readonly perCaller: number;
  readonly windowMs: number;
}

export interface RequestBudget {
  /**
   * Counts one request, and reports the rest of the budget in `RateLimit` and `RateLimit-Policy`
   * (draft-ietf-httpapi-ratelimit-headers). Throws a refusal with `rate_limited` when the budget of the window is used
   * up.
   */
  spend(request: FastifyRequest, response: FastifyReply): Promise<void>;
}

/** Needs the rate-limit plugin on the instance. `name` is the policy's name in the headers. */
export function createBudget(
  app: FastifyInstance,
  name: 'address' | 'caller',
  max: number,
  windowMs: number,
  keyOf: (request: FastifyRequest) => string,
): RequestBudget {
  const check = app.createRateLimit({ max, timeWindow: windowMs, keyGenerator: keyOf });
  return {
    spend: async (request, response) => {
      const verdict = await check(request);
      // An allowed verdict without numbers belongs to a request that is not counted.
      if (!verdict.isAllowed)
        void response.headers({
          'ratelimit-policy': `"${name}";q=${max};w=${Math.round(windowMs / 1_000)}`,
          ratelimit: `"${name}";r=${Math.max(0, verdict.remaining)};t=${verdict.ttlInSeconds}`,
        });
      if (!verdict.isAllowed && verdict.isExceeded) {
        throw new Refusal(problem('rate_limited', { retryAfterSeconds: verdict.ttlInSeconds }));
      }
    },
  };
}
