/** What the operator takes from provisioning's answer about a trial. */
import { trialSubject } from '@platform/contracts-provisioning';
import { createManualClock, ok, refused } from '@platform/kernel';
import type { Endpoint } from '@platform/messaging';
import { createFakeBroker } from '@platform/messaging/testing';
import { requestTrial } from './request-trial';

const request = { tenantId: 'acme', operationId: 'op-1', email: 'ann@example.com', cardFingerprints: ['fp_1'] };

async function ask(answer?: Awaited<ReturnType<Endpoint['answer']>>) {
  const broker = createFakeBroker({ clock: createManualClock() });
  const asked: unknown[] = [];
  const endpoint: Endpoint = {
    name: 'trials',
    subject: trialSubject,
    answer: async (body) => {
      asked.push(body);
      return answer!;
    },
  };
  const about = { name: 'provisioning', version: '1.0.0', description: 'trials' };
  if (answer) await broker.connect('provisioning').serve(about, [endpoint]);
  return { decision: await requestTrial(broker.connect('operator'))(request), asked, broker };
}

describe('the decision about a trial', () => {
  it.each([
    ['is that of provisioning', ok({ days: 14 }), { kind: 'decided', days: 14, held: false }],
    ['tells of a card that has had one', ok({ days: 0, held: true }), { kind: 'decided', days: 0, held: true }],
    ['is uncertain when the answer is not readable', ok({ days: 'two weeks' }), { kind: 'uncertain' }],
    [
      'was not asked for when the request is refused as none',
      refused({ code: 'invalid_request', message: 'no request' }),
      { kind: 'not_asked' },
    ],
    [
      'is uncertain after any other refusal, because the trial may be reserved',
      refused({ code: 'store_unavailable', message: 'away' }),
      { kind: 'uncertain' },
    ],
  ])('%s', async (_case, answer, decision) => {
    const stage = await ask(answer);
    expect(stage.decision).toEqual(decision);
    expect(stage.asked).toEqual([request]);
  });

  it('was not asked for when no process listens', async () => {
    expect((await ask()).decision).toEqual({ kind: 'not_asked' });
  });

  it('was not asked for while there is no connection', async () => {
    const { broker } = await ask(ok({ days: 14 }));
    broker.disconnect('operator');
    expect(await requestTrial(broker.connect('operator'))(request)).toEqual({ kind: 'not_asked' });
  });

  it.each(['disconnected', 'timeout'] as const)('is uncertain when the answer is lost (%s)', async (code) => {
    const messaging = { request: async () => refused({ code, message: 'no answer came' }) };
    expect(await requestTrial(messaging)(request)).toEqual({ kind: 'uncertain' });
  });
});
