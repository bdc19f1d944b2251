import { startProviderTwin, type RunningTwin } from '@platform/provider-twin';
import { createFaultProxy, eventually, type Direction, type FaultProxy } from '@platform/testing';
import type { StripeProvider } from './opened-provider';
import { createStripeProvider } from './stripe-provider';

let twin: RunningTwin;
let proxy: FaultProxy;
let provider: StripeProvider;
let operations = 0;

beforeAll(async () => {
  twin = await startProviderTwin({ port: 0 });
  proxy = await createFaultProxy({ port: Number(new URL(twin.url).port) });
  await fetch(`${twin.url}/_twin/seed`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ customers: [{ id: 'cus_a' }] }),
  });
});

beforeEach(() => {
  provider = createStripeProvider({
    secretKey: 'sk_test_cut',
    apiBase: `http://127.0.0.1:${proxy.port}`,
    timeoutMs: 10_000,
  });
});

afterEach(() => provider.close());

afterAll(async () => {
  await proxy.close();
  await twin.close();
});

function credit() {
  operations += 1;
  const operationId = `op-cut-${String(operations).padStart(4, '0')}`;
  return {
    operationId,
    call: provider.prepare(
      { operationId },
      { step: 'balance_credit', customerId: 'cus_a', amountCents: 1, currency: 'usd', description: 'goodwill' },
    ),
  };
}

async function twinReads<T>(path: string): Promise<T> {
  return (await (await fetch(`${twin.url}${path}`)).json()) as T;
}

const effectsOf = async (operationId: string) =>
  (await twinReads<{ entries: unknown[] }>(`/_twin/ledger?operationId=${operationId}`)).entries.length;

/** The number of bytes of one whole exchange in both directions. */
async function measure(): Promise<Record<Direction, number>> {
  const before = { ...proxy.delivered };
  expect((await credit().call.send()).outcome).toBe('succeeded');
  provider.close();
  return { up: proxy.delivered.up - before.up, down: proxy.delivered.down - before.down };
}

describe('a connection that is cut', () => {
  it.each(['up', 'down'] as const)(
    'at any byte of the way %s leaves the outcome unknown, whether the effect happened or not',
    async (direction) => {
      const whole = (await measure())[direction];
      const step = Math.ceil(whole / 24);
      const positions = [...new Set([...Array.from({ length: 24 }, (_, index) => index * step), whole - 1])].filter(
        (position) => position < whole,
      );
      const effects: number[] = [];
      for (const position of positions) {
        const { operationId, call } = credit();
        const acceptedBefore = proxy.accepted;
        proxy.cutAfter(direction, position);
        const answer = await call.send();
        provider.close();
        expect(answer).toMatchObject({ outcome: 'unknown', evidence: { phase: 'bytes_written' } });
        expect(proxy.accepted - acceptedBefore).toBe(1);
        effects.push(await effectsOf(operationId));
      }
      expect(new Set(effects)).toEqual(new Set([direction === 'up' ? 0 : 1]));
    },
  );

  it('is a definitive failure when it could not be opened, and nothing was done', async () => {
    await proxy.refuseConnections();
    const { operationId, call } = credit();
    expect(await call.send()).toMatchObject({
      outcome: 'failed',
      code: 'provider_unavailable',
      evidence: { phase: 'not_connected' },
    });
    await proxy.accept();
    expect(await effectsOf(operationId)).toBe(0);
  });

  it('leaves the outcome unknown when the answer is held past the time-out, although the effect happened', async () => {
    provider.close();
    provider = createStripeProvider({
      secretKey: 'sk_test_cut',
      apiBase: `http://127.0.0.1:${proxy.port}`,
      timeoutMs: 1_000,
    });
    proxy.hold('down');
    const { operationId, call } = credit();
    expect(await call.send()).toMatchObject({ outcome: 'unknown', evidence: { phase: 'bytes_written' } });
    await eventually(async () => (await effectsOf(operationId)) === 1, {
      describe: 'the effect in the ledger of the twin',
    });
    proxy.release();
  });
});
