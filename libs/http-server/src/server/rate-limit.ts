/**
 * Two budgets of requests: one per address, spent before a token is looked at (guessing tokens costs), one per caller,
 * spent after. Counts live in this process; with n replicas a caller has up to n times the budget.
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
   * Counts one request, and says in `RateLimit` and `RateLimit-Policy` what is left (draft-ietf-httpapi-ratelimit-headers).
   * Throws a refusal with `rate_limited` when the budget of the window is used up.
   */
  spend(request: FastifyRequest, response: FastifyReply): Promise<void>;
}

/** Needs the rate-limit plugin to be loaded on the instance. `name` is that of the policy in the headers. */
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
      // An allowed request without figures is one that is not counted.
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
