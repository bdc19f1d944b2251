import fc from 'fast-check';
import { linkTo, readAddress } from './address';
import {
  createEventReader,
  createRequests,
  leavesOutcomeOpen,
  ofOperation,
  refusalText,
  type Fetch,
  type LiveEvent,
} from '@platform/design-parts/requests';
import { createGateway, newOperationId } from './gateway';
import { contractOf, exampleValues, formatMoney, operationActions } from '@platform/contracts-operator/actions';
import { refusedFields, valuesOf } from './action-values';
import { joinPages, sameList } from './dry-run-pages';
import { parseMoney } from './money';
import { formatDuration, formatRelative, formatUtc } from '@platform/design-parts/time';

describe('a refusal', () => {
  it('says what happened, and what to do or else each field with its reason, wherever the field is', () => {
    const errors = [
      { pointer: '/body/endpoint/url', message: 'must be https' },
      { pointer: '/amountCents', message: 'must be positive' },
    ];
    const nextStep = 'Correct the places that `errors` names.';
    const problem = { code: 'invalid_request', title: 'Invalid request.', nextStep, errors };
    expect(refusalText(problem)).toBe('Invalid request. endpoint/url must be https. amountCents must be positive.');
    expect(refusalText({ ...problem, nextStep: 'Wait.', errors: [] })).toBe('Invalid request. Wait.');
    expect(refusalText({ code: 'x', title: 'Gone', detail: 'It is gone.' })).toBe('It is gone.');
  });
});

describe('money', () => {
  it('has the decimals of its currency', () => {
    expect(formatMoney({ amountCents: 123_456, currency: 'usd' })).toBe('1,234.56 USD');
    expect(formatMoney({ amountCents: 5_000, currency: 'jpy' })).toBe('5,000 JPY');
    expect(formatMoney({ amountCents: 1_500, currency: 'kwd' })).toBe('1.500 KWD');
    for (const currency of ['huf', 'isk', 'idr', 'cop', 'twd', 'pkr'])
      expect(formatMoney({ amountCents: 500_000, currency })).toBe(`5,000.00 ${currency.toUpperCase()}`);
    expect(parseMoney('5000', 'huf')).toBe(500_000);
    expect(formatMoney({ amountCents: -500, currency: 'eur' })).toBe('-5.00 EUR');
    expect(formatMoney(null)).toBe('–');
    expect(formatMoney({ amountCents: 7, currency: '??' })).toContain('minor units');
  });

  it('is read back from what was written, and nothing else is money', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 99_999_999 }),
        fc.constantFrom('usd', 'jpy', 'kwd'),
        (amountCents, currency) => {
          expect(parseMoney(formatMoney({ amountCents, currency }).split(' ')[0]!, currency)).toBe(amountCents);
        },
      ),
    );
    for (const text of ['', '-5', '0', '5.001', '5,0,0.', 'abc', '1e3']) expect(parseMoney(text, 'usd')).toBeNull();
    expect(parseMoney('5.5', 'jpy')).toBeNull();
  });

  it.each(['5,00', '0,50', '12,5', '1234,50', '1,23,456', '1,000,00', '5 00', '1,', ',100', '1,0000', '1 000,50'])(
    'is not %j: a separator parts groups of three digits, and is never a decimal comma',
    (text) => {
      expect(parseMoney(text, 'usd')).toBeNull();
    },
  );

  it.each([
    ['1,000', 100_000],
    ['1 000 000.5', 100_000_050],
    ['1_234.50', 123_450],
    ['1234.50', 123_450],
  ])('is %j', (text, minor) => {
    expect(parseMoney(text, 'usd')).toBe(minor);
  });
});

describe('the values of a form', () => {
  it('leave as the gateway takes them, in the minor units of the currency', () => {
    expect(valuesOf('credit_customer', { amountCents: '12.50', reason: 'Outage' }, 'usd')).toEqual({
      amountCents: 1_250,
      reason: 'Outage',
    });
    expect(valuesOf('credit_customer', { amountCents: '12', reason: 'Outage' }, 'jpy')).toMatchObject({
      amountCents: 12,
    });
    expect(valuesOf('grant_free_access', { planId: 'pro', freeUntil: '2027-01-01' }, 'usd')).toEqual({
      planId: 'pro',
      freeUntil: '2027-01-01T00:00:00Z',
    });
  });

  it('are none while one is missing or cannot be read', () => {
    expect(valuesOf('credit_customer', { amountCents: '12.505', reason: 'Outage' }, 'usd')).toBeNull();
    expect(valuesOf('credit_customer', { amountCents: '12.50', reason: ' ' }, 'usd')).toBeNull();
    expect(valuesOf('grant_free_access', { planId: 'pro' }, 'usd')).toEqual({ planId: 'pro' });
    expect(valuesOf('suspend', {}, 'usd')).toEqual({});
  });

  it('are refused under the names that the form shows', () => {
    const errors = [
      { pointer: '/amountCents', message: 'must be at most 10,000.00 USD' },
      { pointer: '/constructor', message: 'is not known' },
    ];
    expect(refusedFields('credit_customer', errors)).toEqual([
      'Amount: must be at most 10,000.00 USD',
      'constructor: is not known',
    ]);
    expect(refusedFields('credit_customer', undefined)).toEqual([]);
  });

  it('exist for every action whose form is filled in', () => {
    for (const action of operationActions) {
      const entered = Object.fromEntries(
        Object.entries(contractOf(action).values).map(([name, { kind, example }]) => [
          name,
          kind === 'amount' ? '5.00' : kind === 'instant' ? String(example).slice(0, 10) : String(example),
        ]),
      );
      expect([action, valuesOf(action, entered, 'usd')]).toEqual([action, exampleValues(action, { optional: true })]);
    }
  });
});

describe('an instant', () => {
  const now = Date.parse('2026-03-01T12:00:00.000Z');
  it.each([
    ['2026-03-01T11:59:59.500Z', 'just now'],
    ['2026-03-01T11:59:15.000Z', '45 s ago'],
    ['2026-03-01T11:48:00.000Z', '12 min ago'],
    ['2026-02-28T08:00:00.000Z', '1 d 4 h ago'],
    ['2026-03-01T14:00:00.000Z', 'in 2 h'],
  ])('%s is %s', (instant, message) => expect(formatRelative(instant, now)).toBe(message));
  it('is shown in UTC', () => expect(formatUtc('2026-03-01T12:00:05.123Z')).toBe('2026-03-01 12:00:05 UTC'));
  it('has a length in at most two units', () => expect(formatDuration(3_600 * 3 + 120)).toBe('3 h 2 min'));
});

describe('an address', () => {
  it('is read back from its link, whatever is in it', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ minLength: 1 })),
        fc.dictionary(fc.string({ minLength: 1 }), fc.string({ minLength: 1 })),
        (path, filters) => {
          expect(readAddress(linkTo(path, filters))).toEqual({ path, filters });
        },
      ),
    );
  });
  it('takes any text for an address', () => {
    expect(readAddress('')).toEqual({ path: [], filters: {} });
    expect(readAddress('#/case/%E0%A4%A/x?&=&a')).toMatchObject({ path: ['case', '%E0%A4%A', 'x'] });
  });
});

describe('the event stream', () => {
  it('gives the same events, however it is cut into pieces', () => {
    const text =
      ': alive\n\nevent: changed\ndata: {"id":"op-1"}\n\nevent: reset\ndata: {}\n\nevent: broken\ndata: {\n\n';
    fc.assert(
      fc.property(fc.array(fc.nat({ max: text.length }), { maxLength: 8 }), (cuts) => {
        const heard: LiveEvent[] = [];
        const read = createEventReader((event) => heard.push(event));
        const at = [0, ...cuts.sort((a, b) => a - b), text.length];
        at.slice(1).forEach((end, index) => read(text.slice(at[index], end)));
        expect(heard).toEqual([
          { event: 'changed', data: { id: 'op-1' } },
          { event: 'reset', data: {} },
        ]);
      }),
    );
  });
});

describe('the gateway', () => {
  const answering = (status: number, text: string) => async () => new Response(text, { status });
  it('tells an answer, a refusal and no answer apart', async () => {
    const never = () => undefined;
    expect(await createGateway('t', answering(200, '{"a":1}'), never).read('/x')).toEqual({
      kind: 'answered',
      status: 200,
      body: { a: 1 },
    });
    expect(await createGateway('t', answering(409, '{"code":"c","title":"t"}'), never).read('/x')).toMatchObject({
      kind: 'refused',
      problem: { code: 'c' },
    });
    expect(await createGateway('t', answering(502, '<html>'), never).send('POST', '/x', {})).toMatchObject({
      kind: 'no_answer',
    });
    expect(await createGateway('t', async () => Promise.reject(new Error('gone')), never).read('/x')).toEqual({
      kind: 'no_answer',
      reason: 'gone',
    });
  });

  it.each([
    [200, 'null'],
    [200, '7'],
    [504, '{"message":"Endpoint request timed out"}'],
    [502, 'null'],
    [503, '"busy"'],
    [500, '{"code":7}'],
  ])('takes %i %s of something between for no answer', async (status, text) => {
    const answer = await createGateway('t', answering(status, text), () => undefined).send('POST', '/x', {});
    expect(answer).toMatchObject({ kind: 'no_answer' });
    expect(leavesOutcomeOpen(answer)).toBe(true);
  });

  it('is no answer when none comes in the longest time that a service takes', async () => {
    const silent: Fetch = (_url, { signal }) =>
      new Promise((_answer, fail) => signal?.addEventListener('abort', () => fail(new Error('aborted'))));
    const answer = await createRequests('t', silent, () => undefined, { patienceMs: 30 }).send('POST', '/x', {});
    expect(answer).toEqual({ kind: 'no_answer', reason: 'nothing came within 0.03 s' });
  });

  it('to an action is taken only when it is about that operation', () => {
    const answered = { kind: 'answered', status: 200, body: { operationId: 'op-1' } } as const;
    expect(ofOperation(answered, 'op-1')).toBe(answered);
    expect(leavesOutcomeOpen(ofOperation(answered, 'op-2'))).toBe(true);
  });

  it.each([
    ['internal_error', true],
    ['outcome_unknown', true],
    ['reconciliation_required', true],
    ['store_unavailable', true],
    ['overloaded', false],
    ['invalid_request', false],
  ])('leaves with the refusal %s the outcome open: %s', (code, open) => {
    expect(leavesOutcomeOpen({ kind: 'refused', status: 500, problem: { code, title: 'T' } })).toBe(open);
  });

  it('says when the token is not taken any more', async () => {
    let calls = 0;
    await createGateway('t', answering(401, '{"code":"unauthenticated","title":"t"}'), () => void (calls += 1)).read(
      '/x',
    );
    expect(calls).toBe(1);
  });

  it('makes ids that the gateway takes', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('suspend', 'grant_free_access'),
        fc.double({ min: 0, max: 0.999999, noNaN: true }),
        (action, chance) => expect(newOperationId(action, new Date(0), () => chance)).toMatch(/^[A-Za-z0-9-]{8,64}$/),
      ),
    );
  });
});

describe('the pages of a dry run', () => {
  const page = (names: readonly string[], nextCursor?: string) => ({
    fromPlanId: 'starter',
    target: { planId: 'pro', name: 'Pro', amountCents: 4_900, currency: 'usd' },
    count: 3,
    digest: 'a'.repeat(64),
    needPerson: [],
    workspaces: names.map((tenantId) => ({
      tenantId,
      workspaceName: tenantId,
      revision: 'r',
      delta: { total: 100, amountDue: 100, currency: 'usd' },
    })),
    pageTotals: [{ currency: 'usd', total: 100 * names.length, workspaces: names.length }],
    ...(nextCursor !== undefined && { nextCursor }),
  });

  it('are shown as one, with the sum of all of them', () => {
    const whole = joinPages([page(['a', 'b'], 'next'), page(['c'])]);
    expect(whole.workspaces.map(({ tenantId }) => tenantId)).toEqual(['a', 'b', 'c']);
    expect(whole.pageTotals).toEqual([{ currency: 'usd', total: 300, workspaces: 3 }]);
    expect(whole).not.toHaveProperty('nextCursor');
    expect(joinPages([page(['a'], 'next')])).toHaveProperty('nextCursor');
  });

  it('of another list are not joined', () => {
    expect(sameList([page(['a'])], page(['b']))).toBe(true);
    expect(sameList([page(['a'])], { ...page(['b']), digest: 'b'.repeat(64) })).toBe(false);
  });
});
