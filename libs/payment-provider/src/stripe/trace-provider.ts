/**
 * Makes provider calls steps of the current trace. A span contains the call, its outcome and the provider's request id,
 * with which the provider's support finds the request; the trace context is not sent to the provider.
 */
import type { Outcome, TracedStep, Tracing } from '@platform/kernel';
import type { CallAnswer, PreparedCall, ProviderReads } from '../port';
import type { StripeProvider } from './opened-provider';

type AnyRead = (...values: never[]) => Promise<Outcome<unknown>>;

const stepOf = (name: string): TracedStep => ({
  name: `provider ${name}`,
  kind: 'client',
  attributes: { 'peer.service': 'payment-provider', 'platform.provider_call': name },
});

function attributesOf({ outcome, evidence }: CallAnswer<unknown>): Record<string, string | number> {
  return {
    'platform.outcome': outcome,
    'platform.call_phase': evidence.phase,
    ...(evidence.httpStatus !== undefined && { 'http.response.status_code': evidence.httpStatus }),
    ...(evidence.requestId !== undefined && { 'platform.provider_request_id': evidence.requestId }),
  };
}

function tracedCall<T>(call: PreparedCall<T>, tracing: Tracing): PreparedCall<T> {
  const { description } = call;
  return {
    description,
    send: () =>
      tracing.step(stepOf(description.step), async (span) => {
        const answer = await call.send();
        span.note(
          { ...attributesOf(answer), 'platform.step': description.step },
          answer.outcome === 'unknown' ? 'the outcome is not known' : undefined,
        );
        return answer;
      }),
  };
}

function tracedRead(name: string, read: () => Promise<Outcome<unknown>>, tracing: Tracing): Promise<Outcome<unknown>> {
  return tracing.step(stepOf(name), async (span) => {
    const answer = await read();
    span.note(
      { 'platform.outcome': answer.outcome },
      answer.outcome === 'unknown' ? 'the outcome is not known' : undefined,
    );
    return answer;
  });
}

/** The same provider with each call as a step: an effect under the name of its step, a read under its own. */
export function traceProvider(provider: StripeProvider, tracing: Tracing): StripeProvider {
  const { prepare, close, ...reads } = provider;
  const traced = Object.entries(reads as Record<string, AnyRead>).map(([name, read]) => [
    name,
    (...values: never[]) => tracedRead(name, () => read(...values), tracing),
  ]);
  return {
    ...(Object.fromEntries(traced) as ProviderReads),
    prepare: (intent, effect) => tracedCall(prepare(intent, effect), tracing),
    close,
  };
}
