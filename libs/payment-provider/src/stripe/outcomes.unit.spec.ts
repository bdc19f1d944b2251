import { eventually } from '@platform/testing';
import { outcomeTaxonomy, type TaxonomyRowId } from '../outcome-taxonomy';
import { answers, type Script } from '../spec-support/scripted-server';
import { refusal, setStage, transaction } from '../spec-support/scripted-stage';

const stage = setStage();

const byAnswer: readonly (readonly [string, TaxonomyRowId, Script])[] = [
  ['429', 'rate_limited', answers.json(429, refusal('invalid_request_error', { code: 'rate_limit' }))],
  [
    '400 with code rate_limit',
    'rate_limited',
    answers.json(400, refusal('invalid_request_error', { code: 'rate_limit' })),
  ],
  ['401', 'unauthenticated', answers.json(401, refusal('invalid_request_error'))],
  ['403', 'forbidden', answers.json(403, refusal('invalid_request_error'))],
  [
    '402',
    'card_declined',
    answers.json(402, refusal('card_error', { code: 'card_declined', decline_code: 'insufficient_funds' })),
  ],
  [
    '402 of an invoice whose holder must confirm',
    'authentication_required',
    answers.json(402, refusal('card_error', { code: 'invoice_payment_intent_requires_action' })),
  ],
  [
    '402 of a subscription whose holder must confirm',
    'authentication_required',
    answers.json(402, refusal('card_error', { code: 'subscription_payment_intent_requires_action' })),
  ],
  [
    '402 of a card that declines without its holder',
    'authentication_required',
    answers.json(402, refusal('card_error', { code: 'card_declined', decline_code: 'authentication_required' })),
  ],
  ['400', 'invalid_request', answers.json(400, refusal('invalid_request_error', { param: 'amount' }))],
  ['404', 'not_found', answers.json(404, refusal('invalid_request_error', { code: 'resource_missing' }))],
  ['409', 'key_in_use', answers.json(409, refusal('idempotency_error_in_use'))],
  ['409 of type idempotency_error', 'idempotency_mismatch', answers.json(409, refusal('idempotency_error'))],
  ['400 of type idempotency_error', 'idempotency_mismatch', answers.json(400, refusal('idempotency_error'))],
  ['500', 'server_error', answers.json(500, refusal('api_error'))],
  [
    '500 replayed under the key',
    'server_error',
    answers.json(500, refusal('api_error'), { 'idempotent-replayed': 'true', 'stripe-should-retry': 'true' }),
  ],
  ['503 without a body of the provider', 'server_error', answers.text(503, '<html>try later</html>')],
  ['200 that is no JSON', 'unparsable', answers.text(200, '<html>welcome</html>')],
  ['200 that is null', 'unparsable', answers.json(200, null)],
  ['200 with another object', 'unparsable', answers.json(200, { id: 'cus_a', object: 'customer' })],
  ['400 of an intermediary', 'unparsable', answers.text(400, 'bad gateway configuration')],
  ['404 of an intermediary', 'unparsable', answers.json(404, { message: 'no route' })],
  ['302', 'unparsable', answers.json(302, {}, { location: 'https://example.invalid/' })],
  ['424 with an error object', 'unexpected', answers.json(424, refusal('api_error'))],
  ['200 with an error object', 'unexpected', answers.json(200, refusal('api_error'))],
  ['a closed connection after the request', 'no_answer', answers.close()],
  ['a reset connection after the request', 'no_answer', answers.reset()],
  ['an answer that is cut', 'no_answer', answers.cut(200, JSON.stringify(transaction))],
  ['a refusal that is cut', 'no_answer', answers.cut(402, JSON.stringify(refusal('card_error')))],
];

describe('the outcome taxonomy', () => {
  it.each(byAnswer)('classifies %s as %s, after exactly one network attempt', async (_name, rowId, script) => {
    stage.server.script = script;
    const row = outcomeTaxonomy.find(({ id }) => id === rowId)!;
    const answer = await stage.credit().send();
    expect(answer.outcome).toBe(row.outcome);
    if (answer.outcome === 'failed') expect(answer).toMatchObject({ code: row.code, detail: { reason: rowId } });
    if (answer.outcome === 'unknown') expect(answer.reason.startsWith(row.what)).toBe(true);
    expect(answer.evidence.phase).toBe(rowId === 'no_answer' ? 'bytes_written' : 'response_read');
    expect(stage.server.requests).toHaveLength(1);
    expect(JSON.stringify([answer, stage.logged])).not.toMatch(/sk_test|40000566|goodwill/);
  });

  it('has every row under test', () => {
    const covered = new Set<TaxonomyRowId>([...byAnswer.map(([, row]) => row), 'succeeded', 'not_sent']);
    expect(outcomeTaxonomy.map((row) => row.id).filter((id) => !covered.has(id))).toEqual([]);
  });

  it('says which decline and which parameter', async () => {
    stage.server.script = answers.json(
      402,
      refusal('card_error', { code: 'card_declined', decline_code: 'insufficient_funds', param: 'payment_method' }),
    );
    expect(await stage.credit().send()).toMatchObject({
      code: 'card_declined',
      detail: {
        providerCode: 'card_declined',
        declineCode: 'insufficient_funds',
        parameter: 'payment_method',
        retry: expect.stringContaining('24 hours') as string,
      },
    });
  });

  it('answers unknown at a time-out after the request was written', async () => {
    stage.reopen(stage.server.url, 1_000);
    stage.server.script = answers.silence();
    expect(await stage.credit().send()).toMatchObject({
      outcome: 'unknown',
      reason: expect.stringContaining('timeout') as string,
      evidence: { phase: 'bytes_written' },
    });
    // The server may read what was written after the caller has given up.
    await eventually(() => stage.server.requests.length > 0, { describe: 'the request at the provider' });
    expect(stage.server.requests).toHaveLength(1);
  });
});
