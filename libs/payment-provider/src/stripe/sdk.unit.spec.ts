import { openSdk, providerApiVersion, type SdkHttpClient, type SdkOptions } from './sdk';

interface Sent {
  readonly host: string;
  readonly port: string | number;
  readonly protocol: string;
  readonly timeout: number;
  readonly headers: object;
}

/** A client of the SDK whose requests stay in this process, and what they were. */
function opened(options: Partial<SdkOptions> = {}, status = 200) {
  const sent: Sent[] = [];
  const headers = { 'request-id': 'req_1' };
  const httpClient: SdkHttpClient = {
    getClientName: () => 'recording',
    makeRequest: async (host, port, _path, _method, given, _body, protocol, timeout) => {
      sent.push({ host, port, protocol, timeout, headers: given });
      return {
        getStatusCode: () => status,
        getHeaders: () => headers,
        getRawResponse: () => ({}),
        toStream: () => undefined,
        toJSON: async () => (status === 200 ? { id: 'cus_a' } : { error: { type: 'api_error' } }),
      };
    },
  };
  return { sdk: openSdk({ secretKey: 'sk_test_x', timeoutMs: 1_234, httpClient, ...options }), sent };
}

describe('the SDK', () => {
  it.each([
    ['the provider', undefined, { host: 'api.stripe.com', port: '443', protocol: 'https' }],
    ['a server at its port', 'http://127.0.0.1:4010', { host: '127.0.0.1', port: 4010, protocol: 'http' }],
    ['an encrypted server at its port', 'https://twin.test:4010', { host: 'twin.test', port: 4010, protocol: 'https' }],
    ['a server at the usual port', 'http://twin.test', { host: 'twin.test', port: 80, protocol: 'http' }],
    ['an encrypted server at the usual port', 'https://twin.test', { host: 'twin.test', port: 443, protocol: 'https' }],
    ['an address of IPv6, without its brackets', 'http://[::1]:80', { host: '::1', port: 80, protocol: 'http' }],
  ])('sends to %s', async (_name, apiBase, target) => {
    const { sdk, sent } = opened(apiBase === undefined ? {} : { apiBase });
    await sdk.customers.retrieve('cus_a');
    expect(sent).toEqual([
      {
        ...target,
        timeout: 1_234,
        headers: expect.objectContaining({ 'Stripe-Version': providerApiVersion }) as object,
      },
    ]);
  });

  it('does not repeat a request that the provider could not serve', async () => {
    const { sdk, sent } = opened({}, 500);
    await expect(sdk.customers.retrieve('cus_a')).rejects.toThrow();
    expect(sent).toHaveLength(1);
  });

  it('tells the provider nothing of how long its answers took', async () => {
    const { sdk, sent } = opened();
    await sdk.customers.retrieve('cus_a');
    await sdk.customers.retrieve('cus_a');
    expect(sent.flatMap(({ headers }) => Object.keys(headers)).filter((name) => /telemetry/i.test(name))).toEqual([]);
  });
});
