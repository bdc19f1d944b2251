/** The environment of a scene: the deployment, its clients, and the report that people read at the end. */
import { createGatewayClient, type GatewayClient } from '../../infra/local/demo/gateway-client';
import { createTwinClient, type TwinClient } from '../../infra/local/demo/twin-client';
import { developmentToken, type TokenRequest } from '../../infra/local/development-token';
import { readSettings } from '../../infra/local/settings';
import type { Deployment } from './deployment';
import type { Engine } from './engine';
import { slowMachineMs } from './patience';
import { startLoad, type Load, type Verdict } from './load';

export interface Stage {
  readonly engine: Engine;
  readonly deployment: Deployment;
  readonly root: string;
  readonly twin: TwinClient;
  /** Returns a client whose token is signed with the current secret. */
  gateway(request?: TokenRequest): Promise<GatewayClient>;
  load(name: string): Promise<Load>;
  /** Stops the loads that an interrupted scene left running. */
  endLoads(): Promise<void>;
  /** Removes every container with its data, and starts a freshly seeded deployment. */
  startFresh(): Promise<void>;
  /** One expectation; the report shows its sentence with the verdict. */
  expect(sentence: string, holds: boolean, seen?: unknown): void;
  /** Reports the verdict on a load as one expectation. */
  expectWhole(load: Load): Promise<Verdict>;
  readonly show: (line: string) => void;
}

export interface Scene {
  readonly name: string;
  readonly title: string;
  play(stage: Stage): Promise<void>;
}

export interface Score {
  readonly met: number;
  readonly missed: readonly string[];
}

/** Workspaces of the seed that have a customer at the provider. */
const tenantIds = ['acme', 'globex', 'initech'];
const seenCharacters = 600;

export function buildStage(parts: Pick<Stage, 'engine' | 'deployment' | 'root' | 'show' | 'startFresh'>): {
  stage: Stage;
  score: () => Score;
} {
  const { deployment, root, show } = parts;
  let met = 0;
  const missed: string[] = [];
  const loads: Load[] = [];
  const run = Date.now().toString(36);
  const settings = () => readSettings(deployment.environment(), root);
  const clientOf = async (url: string, request: TokenRequest = { role: 'platform_owner' }): Promise<GatewayClient> =>
    createGatewayClient(url, await developmentToken(settings(), request));
  const stage: Stage = {
    ...parts,
    twin: createTwinClient(`http://127.0.0.1:${deployment.base + 90}`, deployment.secrets.read('stripe_secret_key')),
    gateway: (request) => clientOf(settings().gatewayUrl, request),
    load: async (name) => {
      const gateways = [
        await clientOf(settings().gatewayUrl),
        await clientOf(`http://127.0.0.1:${deployment.base + 11}`),
      ];
      const load = startLoad({ gateways, twin: stage.twin, tenantIds, name: `${name}-${run}` });
      loads.push(load);
      return load;
    },
    endLoads: async () => {
      await Promise.all(loads.splice(0).map((load) => load.stop().catch(() => undefined)));
    },
    expect: (sentence, holds, seen) => {
      if (holds) met += 1;
      else missed.push(sentence);
      const more = holds || seen === undefined ? '' : `\n      seen: ${String(seen).slice(-seenCharacters)}`;
      show(`  ${holds ? '✓' : '✗'} ${sentence}${more}`);
    },
    expectWhole: async (load) => {
      const verdict = await load.stop();
      const { ids, repeats, faults } = verdict;
      stage.expect(
        `${ids} credits under load (${repeats} sent again): each succeeded with one effect, none is lost`,
        ids > 0 && faults.length === 0,
        faults.slice(0, 5).join('; ') || 'no credit was sent',
      );
      return verdict;
    },
  };
  return { stage, score: () => ({ met, missed }) };
}

/** The number of sample consumers registered for each transition. */
export const confirmations = { suspend: 2, reactivate: 1 } as const;

/**
 * Suspends and reactivates a workspace, and every consumer confirms: messages reach the consumers through the broker,
 * and receipts return.
 */
export async function expectLifecycle({ gateway, expect }: Stage, tenantId: string, name: string): Promise<void> {
  const client = await gateway();
  const id = `${name}-${Date.now().toString(36)}`;
  for (const action of ['suspend', 'reactivate'] as const) {
    const path = `/api/saas/workspaces/${tenantId}/${action}`;
    const { status } = await client.post(path, { operationId: `${id}-${action}` });
    const ended = await client
      .settled(tenantId, `${id}-${action}`, slowMachineMs)
      .catch((error: Error) => error.message);
    const receipts = typeof ended === 'string' ? 0 : (ended.lifecycle?.receipts?.length ?? 0);
    expect(
      `${action} of ${tenantId} succeeds with ${receipts} receipts`,
      typeof ended !== 'string' && ended.status === 'succeeded' && receipts >= confirmations[action],
      JSON.stringify([status, ended]),
    );
  }
}
