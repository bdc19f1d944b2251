import {
  createManualClock,
  createSequentialIds,
  noTracing,
  unknown,
  type TracedStep,
  type Tracing,
} from '@platform/kernel';
import type { CallEvidence } from '../port';
import { createFakeProvider } from '../testing';
import { traceProvider } from './trace-provider';

describe('a traced provider', () => {
  const open = () => {
    const noted: [string, unknown][] = [];
    const tracing: Tracing = {
      ...noTracing,
      recording: true,
      step: (step, work) =>
        work({ traceparent: undefined, note: (attributes) => void noted.push([step.name, attributes]) }),
    };
    const fake = createFakeProvider({ clock: createManualClock(), ids: createSequentialIds() });
    fake.seed({ priceIds: [], customers: [{ id: 'cus_acme', currency: 'usd' }], subscriptions: [] });
    const provider = traceProvider({ ...fake, close: () => undefined }, tracing);
    return { provider, noted };
  };

  it('makes a step of a call when it is sent, not when it is prepared, and answers the same', async () => {
    const { provider, noted } = open();
    const call = provider.prepare(
      { operationId: 'op-1' },
      { step: 'balance_credit', customerId: 'cus_acme', amountCents: 100, currency: 'usd', description: 'Goodwill' },
    );
    expect(noted).toEqual([]);
    expect(await call.send()).toMatchObject({ outcome: 'succeeded', value: { amount: -100 } });
    expect(noted).toEqual([
      [
        'provider balance_credit',
        expect.objectContaining({ 'platform.outcome': 'succeeded', 'platform.step': 'balance_credit' }),
      ],
    ]);
  });

  it('makes a step of a read', async () => {
    const { provider, noted } = open();
    expect(await provider.retrieveCustomer('cus_absent')).toMatchObject({ outcome: 'failed', code: 'not_found' });
    expect(noted).toEqual([['provider retrieveCustomer', { 'platform.outcome': 'failed' }]]);
  });

  it('makes a step of a preview, which changes nothing either', async () => {
    const { provider, noted } = open();
    const change = { subscriptionId: 'sub_absent', itemId: 'si_absent', priceId: 'price_pro' };
    expect(await provider.previewPriceChange(change)).toMatchObject({ outcome: 'failed', code: 'not_found' });
    expect(noted).toEqual([['provider previewPriceChange', { 'platform.outcome': 'failed' }]]);
  });
});

describe('the step of a call', () => {
  const effect = { step: 'pause_collection', subscriptionId: 'sub_a' } as const;
  const lost = 'the outcome is not known';

  /** A provider whose calls have this evidence; each read and call is answered with `answer`. */
  const answering = (evidence: CallEvidence, answer: 'unknown' | 'succeeded') => {
    const steps: [TracedStep, ...unknown[]][] = [];
    const tracing: Tracing = {
      ...noTracing,
      step: (step, work) => work({ traceparent: undefined, note: (...noted) => void steps.push([step, ...noted]) }),
    };
    const fake = createFakeProvider({ clock: createManualClock(), ids: createSequentialIds() });
    const outcome = answer === 'unknown' ? unknown('lost') : { outcome: 'succeeded', value: {} };
    const provider = traceProvider(
      {
        ...fake,
        prepare: (...given) => ({
          description: fake.prepare(...given).description,
          send: async () => ({ ...outcome, evidence }) as never,
        }),
        retrieveCustomer: async () => outcome as never,
        close: () => undefined,
      },
      tracing,
    );
    return { provider, steps };
  };
  const named = (call: string): TracedStep => ({
    name: `provider ${call}`,
    kind: 'client',
    attributes: { 'peer.service': 'payment-provider', 'platform.provider_call': call },
  });

  it('has its outcome, how far it got, the status and the id by which the provider finds it', async () => {
    const evidence = { phase: 'response_read', httpStatus: 200, requestId: 'req_1' } as const;
    const { provider, steps } = answering(evidence, 'succeeded');
    await provider.prepare({ operationId: 'op-1' }, effect).send();
    const noted = {
      'platform.outcome': 'succeeded',
      'platform.call_phase': 'response_read',
      'http.response.status_code': 200,
      'platform.provider_request_id': 'req_1',
      'platform.step': 'pause_collection',
    };
    expect(steps).toStrictEqual([[named('pause_collection'), noted, undefined]]);
  });

  it('is an error when the outcome is not known, and has no status that was not read', async () => {
    const { provider, steps } = answering({ phase: 'bytes_written' }, 'unknown');
    await provider.prepare({ operationId: 'op-1' }, effect).send();
    const noted = {
      'platform.outcome': 'unknown',
      'platform.call_phase': 'bytes_written',
      'platform.step': 'pause_collection',
    };
    expect(steps).toStrictEqual([[named('pause_collection'), noted, lost]]);
  });

  it.each([
    ['unknown', lost],
    ['succeeded', undefined],
  ] as const)('of a read that is %s has the error %s', async (outcome, error) => {
    const { provider, steps } = answering({ phase: 'response_read' }, outcome);
    await provider.retrieveCustomer('cus_a');
    expect(steps).toStrictEqual([[named('retrieveCustomer'), { 'platform.outcome': outcome }, error]]);
  });
});
