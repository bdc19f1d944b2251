import { silentLog } from '@platform/kernel';
import type { CallDescription } from '../port';
import { answers } from '../spec-support/scripted-server';
import { refusal, secretKey, setStage, transaction } from '../spec-support/scripted-stage';
import { createCalls } from './observed-calls';
import { createObservingHttpClient } from './observing-http-client';
import { openSdk } from './sdk';

const stage = setStage();

describe('an observed call', () => {
  it('is logged with its key, its row and its evidence', async () => {
    stage.server.script = answers.json(200, transaction);
    await stage.credit().send();
    expect(stage.logged).toEqual([
      {
        step: 'balance_credit',
        path: '/v1/customers/cus_a/balance_transactions',
        idempotencyKey: 'op-12345678:balance_credit',
        row: 'succeeded',
        outcome: 'succeeded',
        phase: 'response_read',
        requestId: 'req_scripted',
        httpStatus: 200,
        objectId: 'cbtxn_1',
      },
      'provider call',
    ]);
  });

  it('is not taken for done by an answer that has the object and another status', async () => {
    stage.server.script = answers.json(302, transaction);
    expect(await stage.credit().send()).toMatchObject({ outcome: 'unknown', evidence: { httpStatus: 302 } });
  });

  it('fails aloud, and nothing is sent, when its request is not the one that was recorded', async () => {
    const httpClient = createObservingHttpClient();
    const sdk = openSdk({ secretKey, apiBase: stage.server.url, timeoutMs: 60_000, httpClient });
    const description: CallDescription = {
      step: 'delete_customer',
      method: 'DELETE',
      path: '/v1/customers/cus_other',
      idempotencyKey: 'op-12345678:delete_customer',
      payloadDigest: '',
    };
    const sent = createCalls(secretKey, silentLog).transmit(
      description,
      (settings) => sdk.customers.del('cus_a', {}, settings),
      () => ({ id: 'cus_a' }),
    );
    await expect(sent).rejects.toThrow('not the one whose digest was recorded');
    expect(stage.server.requests).toHaveLength(0);
    httpClient.close();
  });
});

describe('an observed read', () => {
  const { read } = createCalls(secretKey, silentLog);
  const nothing = () => undefined;

  it.each([
    ['TypeError', () => Promise.reject(new TypeError('no such method'))],
    ['no error', () => Promise.resolve({})],
  ])('fails aloud when the SDK sends nothing, with %s', async (name, call) => {
    await expect(read(call, nothing)).rejects.toThrow(`the SDK sent nothing: ${name}`);
  });

  it('leaves the stacks of other errors as they were', async () => {
    const { stackTraceLimit } = Error;
    await stage.provider.retrieveCustomer('cus_a');
    expect(Error.stackTraceLimit).toBe(stackTraceLimit);
    expect(stackTraceLimit).toBeGreaterThan(0);
  });

  it.each([
    ['the object and another status', answers.json(302, { id: 'cus_a', balance: 0 }), 'an answer that is neither'],
    ['another object', answers.json(200, { id: 'cus_a' }), 'an answer that is neither'],
    ['an error of the server', answers.json(500, refusal('api_error')), '5xx'],
    ['a refusal', answers.json(400, refusal('invalid_request_error')), '400: invalid request'],
  ])('is unknown after %s, and says why', async (_name, script, why) => {
    stage.server.script = script;
    expect(await stage.provider.retrieveCustomer('cus_a')).toEqual({
      outcome: 'unknown',
      reason: expect.stringMatching(new RegExp(`^${why}.*phase response_read, status \\d{3}`)) as string,
    });
  });
});
