/**
 * The last scene of most histories: nothing fails any more, people send new requests, and processes end while these are
 * under way. What is left of it, only the platform's own sweeps finish, because no request comes again.
 *
 * At a deployment processes are asked to end. Each must do so in time and with code 0 (`stops.ts`), and no request may be
 * left without an answer or with an outcome that is not known. In a power cut they die, each at a change of its own, and
 * in a partition each loses the store or the broker so.
 */
import { createRandom, type Random } from '@platform/testing';
import type { Observed } from '../../chaos/observer/outside-evidence';
import { createVersions } from '../../chaos/observer/versions';
import type { Action } from '../world/actions';
import { planFreely } from '../world/plan-actions';
import { ambushFor } from './ambush';
import { begin, type Stage } from './people';
import { serving, stop } from './stops';
import { pass } from './world';

const shares = { deployment: 0.35, powerCut: 0.35, partition: 0.2 } as const;
const requestsMax = 4;
/** The first request is at a gateway after the one time, and the last one has its answer soon after the other. */
const [atGatewayMs, answeredMs] = [20, 110];
/** Every process has ended and its successor works. */
const restartedMs = 20_000;

export interface Deployment {
  /** The operations that were asked for in the scene. */
  readonly operationIds: ReadonlySet<string>;
  /** When the processes were asked to end. */
  readonly at: number;
}

/** Workspaces in which most of what is asked for can be done. */
const paying = ['acme', 'globex'] as const;

/** New work: what is asked for was not asked for before, mostly of a workspace that pays. */
function renewed(action: Action, random: Random): Action {
  if (action.do !== 'ask') return action;
  const { request } = action;
  const tenantId = request.action === 'delete_workspace' ? request.tenantId : random.pick(paying);
  return {
    ...action,
    request: { ...request, tenantId, operationId: `late-${tenantId}-${request.action.replaceAll('_', '-')}` },
  };
}

/** Each operation is asked for once: a repeat would finish what its first request has left. */
function newRequests(seed: number, random: Random): readonly Action[] {
  const wanted = planFreely(seed ^ 0x34b0bcb5).filter((action) => action.do === 'ask' || action.do === 'create');
  const asked = wanted.map((action) => renewed(action, random));
  const idOf = (action: Action): unknown => (action.do === 'ask' ? action.request.operationId : action);
  return [...new Map(asked.map((action) => [idOf(action), action])).values()].slice(0, requestsMax);
}

function deploy({ world }: Stage, random: Random): void {
  const all = random.next() < 0.5;
  for (const process of serving(world)) if (all || random.next() < 0.5) stop(world, process);
}

function befallMost({ world }: Stage, fate: 'death' | 'loss', random: Random): void {
  for (const process of serving(world))
    if (random.next() < 0.6) world.network.outages.ambush(process, ambushFor(process, fate, random));
}

/** Plays the scene. Returns its deployment, if it was one. */
export async function playLastScene(stage: Stage, seed: number): Promise<Deployment | undefined> {
  const { world } = stage;
  const random = createRandom(seed ^ 0x2748774c);
  const chance = random.next();
  const asked = newRequests(seed, random);
  const { deployment, powerCut, partition } = shares;
  if (chance >= deployment + powerCut + partition || asked.length === 0) return undefined;
  const isDeployment = chance < deployment;
  if (!isDeployment) befallMost(stage, chance < deployment + powerCut ? 'death' : 'loss', random);
  for (const action of asked) begin(stage, action);
  await pass(world, atGatewayMs + random.below(answeredMs - atGatewayMs));
  const at = world.timeline.time;
  if (isDeployment) deploy(stage, random);
  await pass(world, restartedMs);
  world.network.outages.heal();
  const operationIds = asked.flatMap((action) => (action.do === 'ask' ? [action.request.operationId] : []));
  return isDeployment ? { operationIds: new Set(operationIds), at } : undefined;
}

/** What the processes' ends have left of the requests of the scene. */
export function leftBy(
  { operationIds, at }: Deployment,
  { changes, gateway }: Observed,
  arrivals: ReadonlyMap<string, number>,
): string[] {
  const operations = createVersions(changes).standing<{ _id: string; status: string }>('operator', 'operations');
  const undecided = new Set(['pending', 'running', 'reconciliation_required']);
  return [
    ...operations.flatMap(({ _id, status }) =>
      operationIds.has(_id) && undecided.has(status)
        ? [`operation ${_id} is ${status}, and nothing failed but that processes were asked to end`]
        : [],
    ),
    ...gateway.flatMap(({ body, answer }) => {
      const { operationId = '' } = JSON.parse(body || '{}') as { operationId?: string };
      // A request that is on its way when a server closes its connections is reset, as by every server.
      const wasUnderWay = (arrivals.get(operationId) ?? Infinity) < at;
      return operationIds.has(operationId) && !answer && wasUnderWay
        ? [
            `the request for operation ${operationId} was under way when its gateway was asked to end, and has no answer`,
          ]
        : [];
    }),
  ];
}
