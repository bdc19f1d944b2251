/**
 * Provider calls as steps of the trace under way. A span names the call, its outcome and the provider's request id, by
 * which its support finds the request; nothing of the trace goes to the provider, who is a stranger to it.
 */
import type { Outcome, TracedStep, Tracing } from '@platform/kernel';
import type { CallAnswer, PreparedCall } from '../port';
import type { StripeProvider } from './opened-provider';

type Made = PreparedCall<unknown> | Promise<Outcome<unknown>> | void;

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

function tracedCall(name: string, call: PreparedCall<unknown>, tracing: Tracing): PreparedCall<unknown> {
  return {
    description: call.description,
    send: () =>
      tracing.step(stepOf(name), async (span) => {
        const answer = await call.send();
        span.note(
          { ...attributesOf(answer), 'platform.step': call.description.step },
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

/** The same provider, each call of it a step. */
export function traceProvider(provider: StripeProvider, tracing: Tracing): StripeProvider {
  const { close, ...calls } = provider;
  const traced = Object.entries(calls as unknown as Record<string, (...values: unknown[]) => Made>).map(
    ([name, call]) => {
      const isRead = /^(retrieve|list)/.test(name);
      const wrapped = isRead
        ? (...values: unknown[]) => tracedRead(name, () => call(...values) as Promise<Outcome<unknown>>, tracing)
        : (...values: unknown[]) => tracedCall(name, call(...values) as PreparedCall<unknown>, tracing);
      return [name, wrapped] as const;
    },
  );
  return { ...(Object.fromEntries(traced) as unknown as Omit<StripeProvider, 'close'>), close };
}
