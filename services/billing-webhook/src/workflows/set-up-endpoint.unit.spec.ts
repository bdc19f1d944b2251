/** What the setup finds at the provider, says of it, and changes when it is asked to. */
import type { WebhookEndpoint } from '@platform/payment-provider';
import { handledTypes } from '../domain/route-event';
import { planEndpoint, setUpEndpoint } from './set-up-endpoint';

const url = 'https://platform.example/api/saas/webhooks/payment-provider';
const version = '2026-01-01';
const right: WebhookEndpoint = { id: 'we_1', url, enabled: true, eventTypes: handledTypes, apiVersion: version };
const others = [
  { ...right, id: 'we_elsewhere', url: `${url}/other` },
  { ...right, id: 'we_old', apiVersion: '2020-08-27' },
  { ...right, id: 'we_of_account', apiVersion: null },
];
const [first = '', ...rest] = handledTypes;

describe('the plan of an endpoint', () => {
  it('is nothing to do for one of this address, version and types', () => {
    expect(planEndpoint([...others, right], url, version)).toEqual({ kind: 'right', endpoint: right });
  });

  it('is another endpoint beside those of other versions at this address, which it names', () => {
    expect(planEndpoint(others, url, version)).toEqual({ kind: 'create', others: others.slice(1) });
  });

  it.each<[string, Partial<WebhookEndpoint>, readonly string[]]>([
    ['it is disabled', { enabled: false }, ['it is disabled']],
    ['it does not send a type', { eventTypes: rest }, [`not sent: ${first}`]],
    [
      'it sends more types',
      { eventTypes: ['a.created', ...handledTypes, 'b.created'] },
      ['sent and not handled: a.created, b.created'],
    ],
    [
      'of all of that',
      { enabled: false, eventTypes: ['a.created'] },
      ['it is disabled', `not sent: ${handledTypes.join(', ')}`, 'sent and not handled: a.created'],
    ],
  ])('is a change because %s', (_why, change, differs) => {
    const endpoint = { ...right, ...change };
    expect(planEndpoint([endpoint], url, version)).toEqual({ kind: 'change', endpoint, differs });
  });
});

/** The setup at a provider with these endpoints, and everything that it does, in order. */
async function setUp(
  endpoints: readonly WebhookEndpoint[],
  apply: boolean,
  wanted: { readonly url: string; readonly version: string; readonly awaitsSecret?: boolean } = { url, version },
) {
  const done: unknown[] = [];
  const said: string[] = [];
  const all = [...endpoints];
  const isRight = await setUpEndpoint(
    {
      endpoints: {
        list: async () => [...all],
        create: async (asked) => {
          done.push({ create: asked });
          all.push(right);
          return { endpoint: right, secret: 'whsec_new' };
        },
        change: async (id, eventTypes) => {
          done.push({ change: id, eventTypes });
          return right;
        },
      },
      version: wanted.version,
      awaitsSecret: wanted.awaitsSecret ?? false,
      keepSecret: (secret) => void done.push({ keep: secret }),
      print: (line) => void said.push(line),
    },
    wanted.url,
    apply,
  );
  return { isRight, done, said: said.join('\n') };
}

describe('the setup of an endpoint', () => {
  it.each([true, false])('that is right changes nothing (applied: %s)', async (apply) => {
    const { isRight, done, said } = await setUp([right], apply);
    expect({ isRight, done }).toEqual({ isRight: true, done: [] });
    expect(said).toContain(`we_1 sends ${handledTypes.length} event types`);
  });

  it.each([
    ['differs', [{ ...right, enabled: false }], 'differs:\n  it is disabled'],
    ['does not exist', others, 'we_of_account at'],
  ])('that %s only says so until it may apply it', async (_state, endpoints, words) => {
    const { isRight, done, said } = await setUp(endpoints, false);
    expect({ isRight, done }).toEqual({ isRight: false, done: [] });
    expect(said).toContain(words);
    expect(said).toContain('Nothing was changed');
  });

  it('that differs brings it up to date', async () => {
    const { isRight, done, said } = await setUp([{ ...right, eventTypes: rest }], true);
    expect({ isRight, done }).toEqual({ isRight: true, done: [{ change: 'we_1', eventTypes: handledTypes }] });
    expect(said).toContain('It is changed.');
  });

  it('that does not exist makes it after the place of its secret is proven, and a repeat has the same key', async () => {
    const key = expect.stringMatching(/^setup:[0-9a-f]{64}$/);
    const { isRight, done } = await setUp(others, true);
    expect(isRight).toBe(true);
    expect(done).toEqual([{ keep: null }, { create: { url, eventTypes: handledTypes, key } }, { keep: 'whsec_new' }]);
    expect((await setUp(others, true)).done).toEqual(done);
  });

  it.each([
    ['is right', right],
    ['differs', { ...right, enabled: false }],
  ])('that %s and whose secret is wanted and nowhere is not done, and says what to do', async (_state, endpoint) => {
    const { isRight, said } = await setUp([endpoint], true, { url, version, awaitsSecret: true });
    expect(isRight).toBe(false);
    expect(said).toContain('we_1 existed before, and no secret was written');
    expect((await setUp([right], false, { url, version, awaitsSecret: true })).isRight).toBe(true);
  });

  it('has a key of its own for each address and version', async () => {
    const keys = new Set<unknown>();
    for (const wanted of [
      { url, version },
      { url: `${url}/2`, version },
      { url, version: '2027-01-01' },
    ]) {
      const { done } = await setUp([], true, wanted);
      keys.add((done[1] as { create: { key: string } }).create.key);
    }
    expect(keys.size).toBe(3);
  });
});
