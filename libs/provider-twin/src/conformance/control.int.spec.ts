/**
 * The control plane: determinism, snapshots, seeds, the ledger, the page for people, and state that survives a kill.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, readFile, rm, appendFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { customerWithCard, daySeconds, monthlyPrice, openHarness, sdkFor, type Harness } from './harness';

interface Entry {
  method: string;
  path: string;
  idempotencyKey: string | null;
  metadata: Record<string, string>;
  amount?: number;
  charged: number;
  objectId: string;
  requestId: string;
  at: number;
}

let harness: Harness;
beforeEach(async () => {
  harness = await openHarness();
});
afterEach(() => harness.close());

async function story(of: Harness): Promise<void> {
  const { customer } = await customerWithCard(of.stripe);
  await of.stripe.subscriptions.create(
    {
      customer,
      items: [{ price: await monthlyPrice(of.stripe, 1900) }],
    },
    { idempotencyKey: 'op-story:subscribe' },
  );
  await of.stripe.customers.createBalanceTransaction(
    customer,
    {
      amount: -250,
      currency: 'usd',
      metadata: { operationId: 'op-story' },
    },
    { idempotencyKey: 'op-story:credit' },
  );
  await of.control('POST', '/_twin/clock', { advanceSeconds: 40 * daySeconds });
}

const withoutKeys = (snapshot: unknown): string =>
  JSON.stringify(snapshot).replaceAll(/stripe-node-retry-[0-9a-f-]+/g, 'key');

describe('the same seed and the same requests', () => {
  it('give the same ids and bytes, another seed gives others', async () => {
    const twins = await Promise.all(['a', 'a', 'b'].map((seed) => openHarness({ seed })));
    for (const each of twins) await story(each);
    const snapshots = await Promise.all(
      // Addresses for people contain the twin's own port.
      twins.map(async (each) => withoutKeys(await each.control('GET', '/_twin/snapshot')).replaceAll(each.url, '')),
    );
    expect(snapshots[0] === snapshots[1]).toBe(true);
    expect(snapshots[0] === snapshots[2]).toBe(false);
    await Promise.all(twins.map((each) => each.close()));
  });

  it('do so again after a reset', async () => {
    const first = await harness.stripe.customers.create({ name: 'x' });
    expect(await harness.control('POST', '/_twin/reset', {})).toMatchObject({ iso: '2026-01-01T00:00:00.000Z' });
    expect((await harness.stripe.customers.list()).data).toEqual([]);
    expect((await harness.stripe.customers.create({ name: 'x' })).id).toBe(first.id);
    const bare = await fetch(`${harness.url}/_twin/reset`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
    });
    expect(bare.status).toBe(200);
    expect(await harness.control('POST', '/_twin/reset', { seed: 42, startAt: 1_800_000_000 })).toMatchObject({
      seed: '42',
      now: 1_800_000_000,
    });
    expect((await harness.stripe.customers.create({ name: 'x' })).id).not.toBe(first.id);
  });
});

describe('the clock', () => {
  it('moves only forwards and only when told', async () => {
    const fresh = { now: 1_767_225_600, iso: '2026-01-01T00:00:00.000Z', moves: [] };
    expect(await harness.control('GET', '/_twin/clock')).toEqual(fresh);
    expect(await harness.control('POST', '/_twin/clock', { to: '2026-02-01T00:00:00Z' })).toMatchObject({
      iso: '2026-02-01T00:00:00.000Z',
      effects: 0,
    });
    expect(await harness.control('GET', '/_twin/clock')).toMatchObject({
      moves: [{ at: expect.stringMatching(/^2\d{3}-/), seconds: 31 * 86_400 }],
    });
    await expect(harness.control('POST', '/_twin/clock', { to: 1 })).rejects.toThrow('409');
    await expect(harness.control('POST', '/_twin/clock', { advanceSeconds: -1 })).rejects.toThrow('400');
    expect((await harness.stripe.customers.create({})).created).toBe(Date.UTC(2026, 1, 1) / 1000);
    const { headers } = await fetch(`${harness.url}/v1/events`, { headers: { authorization: 'Bearer sk_test_x' } });
    expect(headers.get('date')).toBe('Sun, 01 Feb 2026 00:00:00 GMT');
  });
});

describe('a snapshot', () => {
  it('restores everything: objects, time, keys and the ids to come', async () => {
    await story(harness);
    const snapshot = await harness.control('GET', '/_twin/snapshot');
    const next = await harness.stripe.customers.create({ name: 'next' });
    await harness.control('POST', '/_twin/clock', { advanceSeconds: 100 * daySeconds });
    await harness.control('POST', '/_twin/restore', snapshot);
    expect(await harness.control('GET', '/_twin/snapshot')).toEqual(snapshot);
    expect((await harness.stripe.customers.create({ name: 'next' })).id).toBe(next.id);
    await expect(harness.control('POST', '/_twin/restore', { format: 'other' })).rejects.toThrow('400');
  });
});

describe('a seed', () => {
  const body = {
    products: [{ id: 'prod_plans', name: 'Plans' }],
    prices: [{ id: 'price_starter', product: 'prod_plans', unitAmount: 1900 }],
    customers: [
      { id: 'cus_acme', name: 'Acme', paymentMethod: 'pm_card_visa' },
      { id: 'cus_initech', name: 'Initech' },
      { id: 'cus_hooli' },
    ],
    subscriptions: [
      {
        id: 'sub_acme',
        customer: 'cus_acme',
        price: 'price_starter',
        metadata: { tenantId: 'acme' },
      },
      { id: 'sub_initech', customer: 'cus_initech', price: 'price_starter', status: 'past_due' },
    ],
  };

  it('makes complete objects with the chosen ids, and is harmless twice', async () => {
    await harness.control('POST', '/_twin/seed', body);
    const snapshot = await harness.control('GET', '/_twin/snapshot');
    expect(await harness.stripe.subscriptions.retrieve('sub_acme')).toMatchObject({
      status: 'active',
      customer: 'cus_acme',
      metadata: { tenantId: 'acme' },
    });
    expect(await harness.stripe.subscriptions.retrieve('sub_initech', { expand: ['latest_invoice'] })).toMatchObject({
      status: 'past_due',
      latest_invoice: { status: 'open', attempted: true },
    });
    expect(harness.complaints).toEqual([]);
    await harness.control('POST', '/_twin/seed', body);
    const again = await harness.control<{ changes: [string][] }>('GET', '/_twin/snapshot');
    const objects = (of: unknown): unknown =>
      (of as { changes: [string][] }).changes.filter(([table]) => !['ledger', 'counter', 'request'].includes(table));
    expect(objects(again)).toEqual(objects(snapshot));
  });

  it('is all or nothing', async () => {
    await expect(
      harness.control('POST', '/_twin/seed', {
        ...body,
        subscriptions: [{ id: 'sub_x', customer: 'cus_missing', price: 'price_starter' }],
      }),
    ).rejects.toThrow('no customer cus_missing');
    expect((await harness.stripe.customers.list()).data).toEqual([]);
  });
});

describe('the ledger', () => {
  it('has every effect once, in order, and finds those of an operation', async () => {
    await story(harness);
    const { entries } = await harness.control<{ entries: Entry[] }>('GET', '/_twin/ledger?operationId=op-story');
    expect(
      entries.map(({ method, path, idempotencyKey, amount, charged }) => ({
        method,
        path: path.replace(/cus_\w+/, 'cus'),
        idempotencyKey,
        amount,
        charged,
      })),
    ).toEqual([
      {
        method: 'POST',
        path: '/v1/subscriptions',
        idempotencyKey: 'op-story:subscribe',
        amount: undefined,
        charged: 1900,
      },
      {
        method: 'POST',
        path: '/v1/customers/cus/balance_transactions',
        idempotencyKey: 'op-story:credit',
        amount: -250,
        charged: 0,
      },
    ]);
    expect(entries[1]).toMatchObject({
      metadata: { operationId: 'op-story' },
      objectId: expect.stringMatching(/^cbtxn_/),
      requestId: expect.stringMatching(/^req_/),
    });
    const path = encodeURIComponent('POST /v1/customers/*');
    expect((await harness.control<{ entries: Entry[] }>('GET', `/_twin/ledger?endpoint=${path}`)).entries).toHaveLength(
      1,
    );
    const all = (await harness.control<{ entries: Entry[] }>('GET', '/_twin/ledger')).entries;
    expect(all.filter((each) => each.method === 'CLOCK').map((each) => each.charged)).toEqual([0, 1650]);
    expect(all.map((each) => each.at)).toEqual(all.map((each) => each.at).sort((a, b) => a - b));
  });
});

describe('the status page', () => {
  it('shows people what there is, as text and never as markup', async () => {
    await harness.stripe.customers.create({ name: '<script>alert(1)</script>' });
    const response = await fetch(`${harness.url}/_twin`);
    const page = await response.text();
    expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(page).not.toContain('<script>alert');
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
    for (const heading of ['Customers', 'Subscriptions', 'Ledger', 'Webhooks not delivered', 'Faults'])
      expect(page).toContain(heading);
  });
});

describe('a twin as its own process', () => {
  let folder: string;
  let bundle: string;
  const children: ChildProcess[] = [];
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'provider-twin-'));
    bundle = join(folder, 'main.cjs');
    await build({
      entryPoints: [join(__dirname, '../main.ts')],
      bundle: true,
      platform: 'node',
      outfile: bundle,
      logLevel: 'error',
    });
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));
  afterEach(() => children.splice(0).forEach((each) => each.kill('SIGKILL')));

  function launch(...args: string[]): Promise<{ child: ChildProcess; url: string; lines: string[] }> {
    const child = spawn(process.execPath, [bundle, '--port', '0', ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
    children.push(child);
    const lines: string[] = [];
    return new Promise((resolve, reject) => {
      child.stdout?.on('data', (chunk: Buffer) => {
        lines.push(...String(chunk).split('\n').filter(Boolean));
        const url = /^ready (http:\/\/127\.0\.0\.1:\d+)$/.exec(lines[0] ?? '')?.[1];
        if (url) resolve({ child, url, lines });
      });
      child.once('exit', (code) => reject(new Error(`exited with ${code}`)));
    });
  }

  const exit = (child: ChildProcess): Promise<number | null> =>
    new Promise((resolve) => child.once('exit', (code) => resolve(code)));

  it('prints one line when it serves and stops cleanly', async () => {
    const { child, lines } = await launch();
    const exited = exit(child);
    child.kill('SIGTERM');
    expect(await exited).toBe(0);
    expect(lines).toHaveLength(1);
  });

  it('forgets nothing that it answered, when it is killed', async () => {
    const file = join(folder, 'state', 'twin.journal');
    const first = await launch('--data', file, '--seed', 'k');
    const stripe = sdkFor(first.url);
    const created: string[] = [];
    const writer = (async () => {
      for (let n = 0; ; n += 1)
        created.push((await stripe.customers.create({ name: `n${n}` }, { idempotencyKey: `key-${n}` })).id);
    })().catch(() => undefined);
    while (created.length < 40) await new Promise((resume) => setImmediate(resume));
    const gone = exit(first.child);
    first.child.kill('SIGKILL');
    await Promise.all([gone, writer]);
    await appendFile(file, '[["customer","torn');
    const second = await launch('--data', file);
    const again = sdkFor(second.url);
    const found: string[] = [];
    for await (const each of again.customers.list({ limit: 100 })) found.push(each.id);
    expect(created.filter((id) => !found.includes(id))).toEqual([]);
    expect(found.length).toBeLessThanOrEqual(created.length + 1);
    expect((await again.customers.create({ name: 'n0' }, { idempotencyKey: 'key-0' })).id).toBe(created[0]);
    expect(found).not.toContain((await again.customers.create({ name: 'fresh' })).id);
    expect((await readFile(file, 'utf8')).includes('torn')).toBe(false);
  });

  it('refuses a data file that is not its own and leaves it alone', async () => {
    const file = join(folder, 'notes.txt');
    await writeFile(file, 'precious\n');
    const child = spawn(process.execPath, [bundle, '--port', '0', '--data', file], { stdio: 'ignore' });
    children.push(child);
    expect(await exit(child)).toBe(1);
    expect(await readFile(file, 'utf8')).toBe('precious\n');
  });
});
