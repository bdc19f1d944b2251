/** The substitute passes the suite of the real endpoints. */
import { allowedAddress, allowedHost, describeEndpoints, type EndpointsWorld } from './endpoints.features';
import { createFakeEndpoints, type FakeAnswer, type FakeReceiver } from './fake-endpoints';
import type { EndpointPost } from './port';

describeEndpoints('the fake endpoints', async (): Promise<EndpointsWorld> => {
  let next: FakeAnswer | 'silence' | 'reset' = { status: 200 };
  const received: EndpointPost[] = [];
  const addresses = new Map<string, (readonly string[])[]>([[allowedHost, [['127.0.0.1']]]]);
  const receive: FakeReceiver = async (post) => {
    received.push(post);
    return next;
  };
  const endpoints = createFakeEndpoints({
    ...{ allowsPlainHttp: true, allowedHosts: [allowedHost, allowedAddress], timeoutMs: 300 },
    resolve: async (host) => {
      const lists = addresses.get(host) ?? [];
      return (lists.length > 1 ? lists.shift() : lists[0]) ?? [];
    },
    receivers: new Map([['127.0.0.1:8080', receive]]),
  });
  return {
    endpoints,
    received,
    urlOf: (host) => `http://${host}:8080/hook`,
    answer: (given) => void (next = given),
    resolves: (host, ...lists) => void addresses.set(host, [...lists]),
    close: async () => undefined,
  };
});
