import { createRedact, redactText } from './redact';

const canary = 'cAnArY-7f3a';

describe('redaction', () => {
  const redact = createRedact(['configured-secret-value', 'short']);

  it.each([
    'authorization',
    'Proxy-Authorization',
    'cookie',
    'Set-Cookie',
    'password',
    'STRIPE_SECRET_KEY',
    'webhookSecrets',
    'accessToken',
    'api_key',
    'privateKey',
    'stripe-signature',
    'card',
    'cardNumber',
    'cvc',
    'exp_month',
    'payment_method',
    'paymentMethodId',
    'paymentMethodDetails',
    'extras',
    'billingProfile',
    'billing_details',
    'iban',
    'tax_id',
    'credentials',
  ])('blanks the field %s at any depth, whatever it holds', (name) => {
    const shown = JSON.stringify(
      redact({
        ...{ [name]: canary, deep: [{ [name]: { inner: canary } }], list: { [name]: [canary] } },
        map: new Map([[name, canary]]),
      }),
    );
    expect(shown).not.toContain(canary);
    expect(shown).toContain('[redacted]');
  });

  it.each([
    `mongodb://user:${canary}@db:27017/x`,
    `nats://${canary}@127.0.0.1:7022`,
    `Bearer ${canary}`,
    `authorization: Basic ${canary}`,
    `eyJhbGciOiJIUzI1NiJ9.${canary}.${canary}`,
    `sk_live_cAnArY7f3a and whsec_cAnArY7f3a`,
    `GET /signed-in?state=1&access_token=${canary}&x=1`,
    `https://files.example/report#signature=${canary}`,
    'the configured-secret-value is out',
  ])('blanks a credential inside a text: %s', (text) => {
    const shown = JSON.stringify(redact({ message: text, error: new Error(text), list: [text] }));
    expect(shown).not.toMatch(/cAnArY-?7f3a|configured-secret-value/);
  });

  it.each(['4242424242424242', '4242 4242 4242 4242', 'card 3782-822463-10005 was used'])(
    'blanks the card number in %s',
    (text) => {
      expect(redactText(text)).toContain('[redacted]');
      expect(redactText(text)).not.toMatch(/\d{4}/);
    },
  );

  it.each([
    '1767225600000',
    'op-20260101-0001',
    'idempotency key op-1:credit',
    '01941f29-7c00-7aaa-8bbb-000000000001',
    'http://127.0.0.1:7010/api/saas/workspaces/acme/operations/op-12345678',
    'sha256 4242424242424242abcdef',
    'https://console.example/work?kind=operation&limit=20#found=1',
  ])('leaves evidence readable: %s', (text) => {
    expect(redactText(text)).toBe(text);
  });

  it('keeps what an investigator needs', () => {
    const fields = {
      operationId: 'op-1',
      idempotencyKey: 'op-1:credit',
      fingerprint: 'ab12',
      attempts: [{ number: 1 }],
      secretPresent: true,
    };
    expect(redact(fields)).toEqual(fields);
  });

  it('shows errors with their causes, instants, bytes, circles and deep values within bounds', () => {
    const circular: Record<string, unknown> = { name: 'circle' };
    circular['self'] = circular;
    const shown = redact({
      error: Object.assign(new Error('outer', { cause: new Error('inner') }), { code: 'E1' }),
      at: new Date(0),
      bytes: Buffer.from('abc'),
      circular,
      big: 10n,
      many: Array.from({ length: 1_000 }, () => 1),
    }) as { error: { message: string; code: string; cause: { message: string } }; many: unknown[] } & Record<
      string,
      unknown
    >;
    expect(shown.error).toMatchObject({ message: 'outer', code: 'E1', cause: { message: 'inner' } });
    expect(shown).toMatchObject({
      at: '1970-01-01T00:00:00.000Z',
      bytes: '[3 bytes]',
      circular: { name: 'circle', self: '[circular]' },
      big: '10',
    });
    expect(shown.many).toHaveLength(100);
    expect(redactText('x'.repeat(10_000)).length).toBeLessThan(8_300);
    expect(redactText(`prefix${'x'.repeat(30)}://user:${canary}@host`)).not.toContain(canary);
  });

  it('blanks in a text that looks harmless what it blanks in one that does not', () => {
    const parts = [
      '://',
      'user',
      '@',
      ' ',
      '-',
      '\n',
      'Bearer',
      'bAsIc ',
      'eyJabcdef',
      '.',
      'x',
      '_test_',
      '_live_',
      '?',
      'token',
      '=',
    ];
    const more = [
      'sk',
      'rk',
      'pk',
      'whsec_',
      '4242',
      '4242424242424242',
      '5555 5555 5555 4444',
      '378282246310005',
      '7',
    ];
    const all = [...parts, ...more];
    let seed = 1;
    const next = (below: number): number => (seed = (seed * 48_271) % 2_147_483_647) % below;
    // The last line is telling, so the whole text is searched.
    const [line, blanked] = ['\nsk_test_abc', '\n[redacted]'];
    for (let round = 0; round < 5_000; round += 1) {
      const text = Array.from({ length: 1 + next(8) }, () => all[next(all.length)]).join('');
      expect([text, `${redactText(text)}${blanked}`]).toEqual([text, redactText(`${text}${line}`)]);
    }
  });
});
