/**
 * How the provider handles one request: it looks up the idempotency key first, executes a new request, keeps its
 * answer, and records what it really did in the ledger. Injected faults change the answer, the effect, or both.
 */
import { succeeded, type Clock, type Ids } from '@platform/kernel';
import { classify, outcomeOf, type Exchange } from '../outcome-taxonomy';
import type { CallAnswer } from '../port';
import type { EffectRequest } from '../request';
import { providerFault, type ProviderFault } from './provider-faults';
import type { Change } from './behaviour';

/** One effect that the provider really had. Replays of a key are not included. */
export interface ProviderEffect {
  readonly step: string;
  readonly operationId: string;
  readonly idempotencyKey: string;
  readonly path: string;
  readonly objectId: string;
  /** Minor units, only for balance transactions. */
  readonly amount?: number;
  readonly at: Date;
}

interface Kept {
  readonly path: string;
  readonly payloadDigest: string;
  readonly answer: CallAnswer<unknown>;
  readonly at: Date;
}

/** An arriving request; `change` decides on the account's state at that moment. */
export interface Arrival<T> {
  readonly request: EffectRequest;
  readonly change: () => Change<T>;
  readonly fault: ProviderFault | undefined;
}

const keyLifeMs = 24 * 60 * 60 * 1000;

/** A provider without requests so far. `effects` grows in order. */
export function createReception({ clock, ids }: { readonly clock: Clock; readonly ids: Ids }) {
  const keys = new Map<string, Kept>();
  const effects: ProviderEffect[] = [];

  function answerOf<T>(exchange: Exchange): CallAnswer<T> {
    const evidence = {
      phase: exchange.phase,
      ...(exchange.httpStatus !== undefined && { httpStatus: exchange.httpStatus, requestId: `req_${ids.next()}` }),
    };
    return { ...outcomeOf(classify(exchange), exchange), evidence };
  }

  function execute<T extends { readonly id: string }>({ request, change }: Arrival<T>): CallAnswer<T> {
    const decided = change();
    if ('refusal' in decided) return answerOf({ phase: 'response_read', ...decided.refusal });
    const value = decided.apply();
    const amount = 'amount' in value && typeof value.amount === 'number' ? { amount: value.amount } : {};
    const { step, idempotencyKey, path } = request.description;
    effects.push({
      step,
      operationId: request.intent.operationId,
      idempotencyKey,
      path,
      objectId: value.id,
      ...amount,
      at: clock.now(),
    });
    return {
      ...succeeded(value),
      evidence: { phase: 'response_read', httpStatus: 200, requestId: `req_${ids.next()}`, objectId: value.id },
    };
  }

  function receive<T extends { readonly id: string }>(arrival: Arrival<T>): CallAnswer<T> {
    const { fault, request } = arrival;
    const { method, idempotencyKey, path, payloadDigest } = request.description;
    if (fault?.exchange.phase === 'not_connected') return answerOf(fault.exchange);
    // Keys bind POST requests only: the provider executes every DELETE that arrives.
    const keyed = method === 'POST';
    const kept = keyed ? keys.get(idempotencyKey) : undefined;
    if (kept && clock.now().getTime() - kept.at.getTime() < keyLifeMs) {
      if (kept.path !== path || kept.payloadDigest !== payloadDigest)
        return answerOf(providerFault('idempotency_mismatch').exchange);
      return fault ? answerOf(fault.exchange) : (kept.answer as CallAnswer<T>);
    }
    const executed = !fault || fault.effect === 'done' ? execute(arrival) : undefined;
    const answer = fault ? answerOf<T>(fault.exchange) : executed!;
    const keep = fault?.keptUnderKey ? answer : executed;
    if (keyed && keep) keys.set(idempotencyKey, { path, payloadDigest, answer: keep, at: clock.now() });
    return answer;
  }

  return { effects, receive };
}
