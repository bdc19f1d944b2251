/**
 * Two budgets of requests: one per address, spent before a token is looked at (guessing tokens costs), one per caller,
 * spent after. Counts live in this process; with n replicas a caller has up to n times the budget.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { problem, Refusal } from '../problem';

export interface RateLimit {
  /** Requests per window and address. */
  readonly perAddress: number;
  /** Requests per window and caller (the token's subject). */
  readonly perCaller: number;
  readonly windowMs: number;
}

export interface RequestBudget {
  /** Counts one request. Throws a refusal with `rate_limited` when the budget of the window is used up. */
  spend(request: FastifyRequest): Promise<void>;
}

/** Needs the rate-limit plugin to be loaded on the instance. */
export function createBudget(
  app: FastifyInstance,
  max: number,
  windowMs: number,
  keyOf: (request: FastifyRequest) => string,
): RequestBudget {
  const check = app.createRateLimit({ max, timeWindow: windowMs, keyGenerator: keyOf });
  return {
    spend: async (request) => {
      const verdict = await check(request);
      if (!verdict.isAllowed && verdict.isExceeded) {
        throw new Refusal(problem('rate_limited', { retryAfterSeconds: verdict.ttlInSeconds }));
      }
    },
  };
}
