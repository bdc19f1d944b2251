/** What every implementation of the endpoints does, the real one and the fake. */
import { answerBytesMax, type EndpointPost, type Endpoints, type PostOutcome } from './port';
import type { FakeAnswer } from './fake-endpoints';

export interface EndpointsWorld {
  readonly endpoints: Endpoints;
  /** The receiver's address with this host name. */
  urlOf(host: string): string;
  /** The requests that the receiver got. */
  readonly received: readonly EndpointPost[];
  /** Sets the receiver's next answer. */
  answer(next: FakeAnswer | 'silence' | 'reset'): void;
  /** Addresses of a host, one list for each resolution; the last one stays. */
  resolves(host: string, ...addresses: readonly (readonly string[])[]): void;
  close(): Promise<void>;
}

/** Allowed by name; every other host must have public addresses, or this one, at which nothing listens. */
export const allowedHost = 'team.example';
export const allowedAddress = '127.0.0.2';

const notPublic = [
  ['127.0.0.1', 'this machine'],
  ['10.1.2.3', 'a private network'],
  ['172.16.0.1', 'a private network'],
  ['192.168.1.1', 'a private network'],
  ['169.254.169.254', 'the metadata service of a cloud'],
  ['100.100.100.200', 'the metadata service of a cloud, in the range of carriers'],
  ['0.0.0.0', 'this machine'],
  ['224.0.0.1', 'a group'],
  ['::1', 'this machine'],
  ['fe80::1', 'the link'],
  ['fd00:ec2::254', 'the metadata service of a cloud'],
  ['::ffff:10.0.0.1', 'a private network, as IPv6'],
  ['64:ff9b::a00:1', 'a private network, translated'],
  ['2002:a00:1::', 'a private network, tunnelled'],
  ['::a00:1', 'a private network, in the old form of IPv4 as IPv6'],
  ['4000::1', 'what no registry assigns'],
] as const;

export function describeEndpoints(name: string, open: () => Promise<EndpointsWorld>): void {
  describe(name, () => {
    let world: EndpointsWorld;
    beforeEach(async () => {
      world = await open();
    });
    afterEach(() => world.close());

    const post = (url = world.urlOf(allowedHost), body = '{"operationId":"ä-1"}'): Promise<PostOutcome> =>
      world.endpoints.post({ url, headers: { 'content-type': 'application/json', 'webhook-id': 'm-1' }, body });

    it('posts headers and body as they are, and gives back status, body and the pause asked for', async () => {
      world.answer({ status: 503, body: '{"error":"full"}', headers: { 'retry-after': '7' } });
      expect(await post()).toEqual({ kind: 'answered', status: 503, body: '{"error":"full"}', retryAfter: '7' });
      expect(world.received).toMatchObject([
        {
          url: world.urlOf(allowedHost),
          headers: { 'content-type': 'application/json', 'webhook-id': 'm-1' },
          body: '{"operationId":"ä-1"}',
        },
      ]);
    });

    it('follows no redirect', async () => {
      world.answer({ status: 307, headers: { location: world.urlOf(allowedHost) } });
      expect(await post()).toEqual({ kind: 'answered', status: 307, body: '' });
      expect(world.received).toHaveLength(1);
    });

    it('reads no answer that is larger than a receipt can be', async () => {
      world.answer({ status: 200, body: 'x'.repeat(answerBytesMax) });
      expect(await post()).toMatchObject({ kind: 'answered' });
      world.answer({ status: 200, body: 'x'.repeat(answerBytesMax + 1) });
      expect(await post()).toMatchObject({
        kind: 'unanswered',
        reason: expect.stringContaining('larger than') as string,
      });
    });

    it('says that the effect is not known when the receiver is silent or ends the connection', async () => {
      world.answer('silence');
      expect(await post()).toMatchObject({
        kind: 'unanswered',
        reason: expect.stringContaining('no answer within') as string,
      });
      world.answer('reset');
      expect(await post()).toEqual({ kind: 'unanswered', reason: 'ECONNRESET' });
    });

    it('says that nothing left when there is no listener', async () => {
      const { host } = new URL(world.urlOf(allowedHost));
      world.resolves(allowedHost, ['127.0.0.1']);
      const closed = world.urlOf(allowedHost).replace(host, `${allowedHost}:1`);
      expect(await post(closed)).toEqual({ kind: 'not_sent', reason: 'ECONNREFUSED' });
    });

    it.each(notPublic)('refuses a host with the address %s, %s', async (address) => {
      world.resolves('inside.example', [address]);
      expect(await post(world.urlOf('inside.example'))).toMatchObject({
        kind: 'not_sent',
        reason: expect.stringContaining('is not public') as string,
      });
      expect(world.received).toEqual([]);
    });

    it('refuses a host of which one address is not public', async () => {
      world.resolves('inside.example', [allowedAddress, '10.0.0.1']);
      expect(await post(world.urlOf('inside.example'))).toMatchObject({ kind: 'not_sent' });
    });

    it.each(['127.0.0.1', '[::1]', '[::ffff:127.0.0.1]', '2130706433', '0x7f.1', '0177.0.0.1'])(
      'refuses %s, which needs no resolution',
      async (host) => {
        expect(await post(world.urlOf(host))).toMatchObject({
          kind: 'not_sent',
          reason: expect.stringContaining('is not public') as string,
        });
        expect(world.endpoints.objectionTo(world.urlOf(host))).toContain('is not public');
        expect(world.received).toEqual([]);
      },
    );

    it('judges the address that it connects to: a host that resolves inside after its registration is refused', async () => {
      world.resolves('rebound.example', [allowedAddress], ['127.0.0.1']);
      expect(world.endpoints.objectionTo(world.urlOf('rebound.example'))).toBeNull();
      expect(await post(world.urlOf('rebound.example'))).toEqual({ kind: 'not_sent', reason: 'ECONNREFUSED' });
      expect(await post(world.urlOf('rebound.example'))).toMatchObject({
        kind: 'not_sent',
        reason: expect.stringContaining('127.0.0.1, which is not public') as string,
      });
      expect(world.received).toEqual([]);
    });
  });
}
