/**
 * Two replicas of every service on one machine, each with its own instance name, killed one after the other under load:
 * the invariants hold, the surviving replica serves, and a restarted one touches only its own earlier boots.
 */
import type { CaseView, OperationView } from '@platform/contracts-operator';
import {
  checkHistory,
  eventually,
  formatJudged,
  formatViolations,
  judgedBy,
  weighEvidence,
  type Minimums,
} from '@platform/testing';
import { MongoClient } from 'mongodb';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createGatewayClient, type GatewayClient } from '../../../infra/local/demo/gateway-client';
import { findRoot, portOffsets } from '../../../infra/local/settings';
import type { BrokerCollector } from '../../chaos/alerts';
import { startLoad } from '../../chaos/load';
import { startObservedPlatform, type ObservedPlatform } from '../../chaos/observer/observed-platform';
import { outsideEvidence } from '../../chaos/observer/outside-evidence';
import { untilAtRest, untilQuiet } from '../../chaos/quiet';
import type { TestPlatform } from '../../support/platform';

const services = ['operator', 'billing-webhook', 'provisioning', 'lifecycle-delivery'] as const;
/** One replica of each service, alternating between the first and the second; `REPLICA_KILLS=all` kills all eight. */
const parts =
  process.env['REPLICA_KILLS'] === 'all'
    ? services.flatMap((name) => [name, `${name}-2`])
    : services.map((name, at) => (at % 2 === 0 ? name : `${name}-2`));
const instanceOfPart = (part: string): string => (part.endsWith('-2') ? part : `${part}-1`);
const answersBeforeKill = 20;
/** Enough requests to see that the other replica serves, and time for the one that starts. */
const restWhileStartingMs = 400;
const databases = ['operator', 'billing_webhook', 'provisioning', 'lifecycle_delivery'];
const saved = process.env['REPLICAS'];

/** The invariants that this suite claims to judge, with the facts that it must have seen. */
const claims: Minimums = {
  ...{ I1: 15, I2: 15, I4: 15, I5: 1, I6: 1, I7: 50, I8: 2, I10: 10, I11: 1, I12: 1, I13: 1, I14: 10, I18: 15 },
};
const localDir = mkdtempSync(join(tmpdir(), 'workspace-platform-e2e-'));

let observed: ObservedPlatform;
let platform: TestPlatform;
let alerts: BrokerCollector;
let clients: readonly GatewayClient[];

interface Boot {
  readonly _id: string;
  readonly instance: string;
  readonly supersededBy?: { readonly incarnation: string };
}

/** Sends to the replicas in turn, as a load balancer would; after a lost connection the caller repeats the request. */
function balanced(replicas: readonly GatewayClient[]): GatewayClient {
  let next = 0;
  return new Proxy(replicas[0]!, {
    get: (_target, name) => Reflect.get(replicas[next++ % replicas.length]!, name) as unknown,
  });
}

/** The load's declined cards are for runs about the provider; here the processes fail. */
function payingWith(paymentMethodId: string, client: GatewayClient): GatewayClient {
  return {
    ...client,
    post: (path, body, headers) => client.post(path, { ...(body as object), paymentMethodId }, headers),
  };
}

const replicasFor = async (role: { role: 'platform_owner' | 'user'; email?: string }): Promise<GatewayClient[]> => {
  const token = await platform.token(role);
  return [0, 1].map((replica) => createGatewayClient(observed.gatewayUrls[replica]!, token));
};

/** The provider holds the answer to the next credit. */
async function holdCredits(): Promise<void> {
  const held = { match: { method: 'POST', path: '/v1/customers/*/balance_transactions' }, fault: 'hold', times: 1 };
  const laid = await fetch(`${platform.twinUrl}/_twin/faults`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(held),
  });
  expect(laid.status).toBeLessThan(300);
}

beforeAll(async () => {
  process.env['REPLICAS'] = '2';
  observed = await startObservedPlatform({
    ...{ root: findRoot(), localDir, replicas: 2, without: ['query-builder'] },
    repeatsEvent: (count) => count % 4 === 0,
  });
  platform = observed.platform;
  clients = await replicasFor({ role: 'platform_owner' });
  alerts = observed.collector;
});
afterAll(async () => {
  if (saved === undefined) delete process.env['REPLICAS'];
  else process.env['REPLICAS'] = saved;
  await observed?.stop();
  rmSync(localDir, { recursive: true, force: true });
});

describe('two replicas of every service', () => {
  it('hold the invariants while each process is killed in turn under load', async () => {
    const gateway = balanced(clients);
    const load = startLoad({
      gateway,
      newcomer: async (email) => payingWith('pm_card_visa', balanced(await replicasFor({ role: 'user', email }))),
      tenantIds: ['acme', 'globex', 'initech'],
      clients: 3,
      seed: 13,
    });
    for (const part of parts) {
      // The kill happens under full load; while the part starts, the load pauses.
      load.rest(0);
      const loaded = load.answers.length;
      await eventually(() => load.answers.length >= loaded + answersBeforeKill, { describe: 'a load under way' });
      const before = load.answers.length;
      await platform.kill(part);
      // The other replica serves meanwhile, so work continues while either replica is unreachable.
      await eventually(() => load.answers.slice(before).some(({ status }) => status >= 200 && status < 300), {
        describe: `an answer while ${part} is unreachable`,
      });
      load.rest(restWhileStartingMs);
      await platform.restart(part);
    }
    await load.stop();
    expect(await untilQuiet(clients[0]!)).toBe(true);
    const evidence = outsideEvidence(await untilAtRest(() => observed.observed({ atRest: true })));
    expect(formatViolations(checkHistory(evidence))).toEqual([]);
    expect(evidence.operations.length).toBeGreaterThan(parts.length);
    const judged = judgedBy(weighEvidence(evidence), claims);
    expect(formatJudged(judged.filter((each) => !each.judged))).toEqual(['judged:     nothing']);
  });

  it('supersede their own earlier boots and no others', async () => {
    const client = await new MongoClient(platform.mongodbUrl).connect();
    try {
      for (const [at, database] of databases.entries()) {
        const boots = await client.db(database).collection<Boot>('executor_incarnations').find().toArray();
        const instanceOf = new Map(boots.map(({ _id, instance }) => [_id, instance]));
        expect([...new Set(instanceOf.values())].sort()).toEqual([`${services[at]}-1`, `${services[at]}-2`]);
        const superseded = boots.filter(({ supersededBy }) => supersededBy);
        expect(superseded.map(({ instance }) => instance).sort()).toEqual(
          parts
            .map(instanceOfPart)
            .filter((instance) => instance.startsWith(services[at]!))
            .sort(),
        );
        for (const { instance, supersededBy } of superseded)
          expect(instanceOf.get(supersededBy?.incarnation ?? '')).toBe(instance);
      }
    } finally {
      await client.close();
    }
  });

  it('leave alone what another replica executes when they start', async () => {
    const started = createGatewayClient(
      `http://127.0.0.1:${platform.portBase + portOffsets.operator}`,
      await platform.token({ role: 'platform_owner' }),
    );
    await holdCredits();
    const operationId = 'replica-credit-0001';
    const answered = started.post<OperationView>('/api/saas/workspaces/acme/balance-credit', {
      operationId,
      amountCents: 500,
      reason: 'while another starts',
    });
    await eventually(async () => (await clients[1]!.operation('acme', operationId)).status === 'running', {
      describe: 'the credit under way',
    });
    await platform.kill('operator-2');
    await platform.restart('operator-2');
    expect((await clients[1]!.operation('acme', operationId)).status).toBe('running');
    await fetch(`${platform.twinUrl}/_twin/faults`, { method: 'DELETE' });
    expect((await answered).status).toBeLessThan(300);
    expect((await clients[1]!.settled('acme', operationId)).status).toBe('succeeded');
  });

  it('say of a call in which one of them was killed that nothing is proven, and wake a person', async () => {
    const operationId = 'replica-credit-0002';
    await holdCredits();
    const killed = createGatewayClient(
      `http://127.0.0.1:${platform.portBase + portOffsets.operator}`,
      await platform.token({ role: 'platform_owner' }),
    );
    const request = { operationId, amountCents: 500, reason: 'while it is killed' };
    const cutOff = killed.post('/api/saas/workspaces/acme/balance-credit', request).then(
      () => 'answered',
      () => 'cut off',
    );
    const other = clients[1]!;
    const read = async () => (await other.get<CaseView>(`/api/saas/cases/operation?id=${operationId}`)).body;
    await eventually(
      async () =>
        (await other.operation('acme', operationId)).attempts.some(({ providerCalls }) =>
          providerCalls.some(({ step, sentAt }) => step === 'balance_credit' && sentAt !== undefined),
        ),
      { describe: 'the credit sent' },
    );
    await platform.kill('operator');
    expect(await cutOff).toBe('cut off');
    // The first answer after the kill: the silence of a process does not prove that its executor is quiescent.
    const { notProven, status } = await read();
    expect(status).toBe('running');
    expect(notProven.join(' ')).toMatch(/executor operator-1 \(incarnation [^)]*, not.proven\) is quiescent/);
    await eventually(() => alerts.alerts.some(({ kind, id }) => kind === 'operation' && id === operationId), {
      describe: 'an alert about the credit',
    });
    await fetch(`${platform.twinUrl}/_twin/faults`, { method: 'DELETE' });
    await platform.restart('operator');
  });
});
