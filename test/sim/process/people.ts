/**
 * What people and machines do in a history of processes. The actions are those of the other histories
 * (`world/plan-actions.ts`); here each is a request over HTTP through the gateway, or something that happens to
 * processes, the broker or the network.
 */
import { actionPath, contractOf } from '@platform/contracts-operator';
import { createRandom } from '@platform/testing';
import type { OperationRequest } from '../../../services/operator/src/operations/domain/operation';
import type { Action } from '../world/actions';
import type { Fleet } from '../world/fleet';
import { services } from '../world/world';
import { ambushFor } from './ambush';
import { addressOf, replicasMax } from './infrastructure';
import type { FetchOptions } from './fetch';
import { ports } from './ports';
import { ask } from './seed';
import { serving, stop } from './stops';
import type { ProcessWorld } from './world';

export interface Stage {
  readonly world: ProcessWorld;
  readonly fleet: Fleet;
  /** Requests that still wait for an answer. */
  readonly underWay: Set<Promise<void>>;
  /** How answers to callers ended, for the report: a status with its code, or `lost`. */
  readonly answers: string[];
}

/** A caller without an answer gives up. */
const callerPatienceMs = 20_000;
const restoreAfterMs = [500, 3_000] as const;

interface Sent {
  readonly path: string;
  readonly method: string;
  readonly body: object;
  readonly as: Parameters<ProcessWorld['token']>[0];
}

/** The gateway chooses the id of a workspace that it creates, so requests go to one that is there. */
const existing = (tenantId: string): string => (tenantId.startsWith('ws-') ? 'globex' : tenantId);

function ofOperation({ operationId, tenantId: wanted, action, values }: OperationRequest): Sent {
  const tenantId = existing(wanted);
  const { method, startedBy } = contractOf(action);
  const owner = { role: 'user', subject: `${tenantId}-owner`, owns: tenantId } as const;
  return {
    path: actionPath(action).replace(':tenantId', tenantId),
    method,
    body: { operationId, ...values },
    as: startedBy === 'workspace_owner' ? owner : { role: 'platform_owner', subject: 'ann' },
  };
}

/** The request behind an action; undefined for what no caller sends. */
function requestOf(action: Action): Sent | undefined {
  if (action.do === 'ask') return ofOperation(action.request);
  if (action.do === 'migrate') {
    const { fromPlanId, migrationId, targetPlanId, reason, notifyMembers } = action.request;
    return {
      path: `/api/saas/plans-deletion/${fromPlanId}/migrate-and-delete`,
      method: 'POST',
      body: { migrationId, targetPlanId, reason, notifyMembers },
      as: { role: 'platform_owner', subject: 'ann' },
    };
  }
  if (action.do !== 'create') return undefined;
  const { user, plan, workspaceName, paymentMethodId, billingProfile } = action.request;
  return {
    path: '/api/saas/workspaces',
    method: 'POST',
    body: { workspaceName, planId: plan.planId, paymentMethodId, billingProfile },
    as: { role: 'user', subject: user.id },
  };
}

/** A gateway that listens; a caller asks one of them. */
function gatewayOf({ timeline, network, infrastructure }: ProcessWorld): string | undefined {
  const open = Array.from({ length: replicasMax }, (_each, at) => at).filter((at) =>
    network.isServed(addressOf('operator', at + 1).port),
  );
  return open.length === 0 ? undefined : infrastructure.proxies.gateways[timeline.random.pick(open)]!.url;
}

async function send({ world, answers }: Stage, { path, method, body, as }: Sent): Promise<void> {
  const gateway = gatewayOf(world);
  if (gateway === undefined) return void answers.push('no gateway');
  const options: FetchOptions = {
    method,
    body: JSON.stringify(body),
    headers: { authorization: `Bearer ${await world.token(as)}`, 'content-type': 'application/json' },
    signal: AbortSignal.timeout(callerPatienceMs),
  };
  try {
    const response = await fetch(`${gateway}${path}`, options);
    const { code } = JSON.parse(await response.text()) as { code?: string };
    answers.push(code === undefined ? String(response.status) : `${response.status} ${code}`);
  } catch {
    answers.push('lost');
  }
}

const otherPlans: Readonly<Record<string, string>> = { pro: 'starter', starter: 'pro', free: 'starter' };

/** The same request with other values, where it has any that may be chosen. */
export function mistaken(action: Extract<Action, { do: 'ask' }>): Action {
  const { amountCents, reason, planId } = action.request.values;
  const others = {
    ...(typeof amountCents === 'number' && { amountCents: amountCents + 1 }),
    ...(typeof reason === 'string' && { reason: `${reason}, again` }),
    ...(typeof planId === 'string' && { planId: otherPlans[planId] ?? planId }),
  };
  return { ...action, request: { ...action.request, values: { ...action.request.values, ...others } } };
}

/** What services connect to; of the provider they know the proxy. */
function partsOf({ infrastructure }: ProcessWorld): readonly number[] {
  return [ports.broker, ports.broker, ports.store, Number(new URL(infrastructure.proxies.provider.url).port)];
}

const downMs = [50, 2_500, 9_000] as const;

/** A part of the infrastructure fails and comes back; what it has stored is still there. */
function failPart({ timeline, network }: ProcessWorld, port: number): void {
  network.fail(port, timeline.random.pick(downMs));
}

/** The broker comes back without its disk, and its operator applies the topology again. */
function wipeBroker(world: ProcessWorld): void {
  const { timeline, infrastructure, problems, topology } = world;
  infrastructure.broker.restart({ losesDisk: true });
  topology.completeSince = Infinity;
  timeline.alarm(null, timeline.random.pick(restoreAfterMs), () => {
    infrastructure.collector
      .restoreBroker()
      .then(() => (topology.completeSince = timeline.time))
      .catch((error: unknown) => problems.push(`the topology was not applied: ${String(error)}`));
  });
}

const providerFaults = ['lose_answer_after', 'lose_answer_before', 'cut_answer', 'status_500', 'rate_limit'] as const;

/** The provider fails once, at the next request that changes something: before or after its effect. */
export function upsetProvider({ timeline, infrastructure, problems }: ProcessWorld): void {
  const fault = timeline.random.pick(providerFaults);
  const effect = fault === 'status_500' && timeline.random.next() < 0.5 ? { effect: true } : {};
  timeline.enqueue(null, () => {
    ask(`${infrastructure.twin.url}/_twin/faults`, { match: { method: 'POST' }, fault, times: 1, ...effect }).catch(
      (error: unknown) => problems.push(`the provider's fault was not set: ${String(error)}`),
    );
  });
}

/** The provider works again. */
export function calmProvider({ infrastructure }: ProcessWorld): Promise<unknown> {
  return fetch(`${infrastructure.twin.url}/_twin/faults`, { method: 'DELETE' });
}

const outageMs = [400, 3_000, 12_000, 40_000] as const;

/** A process cannot reach a part of the infrastructure, or is not reached by it, for a while. */
function loseTouch(world: ProcessWorld, fleet: Fleet): void {
  const { timeline, network } = world;
  // Any service may be picked; only two of them have an interface for the other histories.
  const member = fleet.pick(timeline.random.pick([...services]) as 'operator');
  if (!member) return;
  network.outages.hold({
    process: member.process,
    port: timeline.random.pick(partsOf(world)),
    direction: timeline.random.pick(['to', 'from', 'both'] as const),
    until: timeline.time + timeline.random.pick(outageMs),
  });
}

/** Most work is the gateway's and the receiver's, so that something befalls them most often in the middle of some. */
const victims = [
  ...(['operator', 'operator', 'billing-webhook', 'billing-webhook'] as const),
  ...(['provisioning', 'lifecycle-delivery'] as const),
];

/** Something befalls a process at a change of the store: what it was to do next is left to others, or is late. */
function befall({ timeline, network }: ProcessWorld, fleet: Fleet, fate: 'death' | 'sleep' | 'loss'): void {
  const member = fleet.pick(timeline.random.pick(victims) as 'operator');
  if (member) network.outages.ambush(member.process, ambushFor(member.process, fate, timeline.random));
}

/** One process of any service is asked to end while it works. */
function stopOne(world: ProcessWorld): void {
  const able = serving(world);
  if (able.length > 0) stop(world, world.timeline.random.pick(able));
}

/**
 * What befalls the platform of a history. A fault that comes alone shows what several at once hide, so some histories
 * have one kind only.
 */
export type Mood = 'any' | 'deaths' | 'losses' | 'stops';
const moods: readonly Mood[] = ['any', 'any', 'any', 'deaths', 'losses', 'stops'];
export const moodOf = (seed: number): Mood => createRandom(seed ^ 0x71374491).pick(moods);

/** What befalls a platform in the middle of its work. */
export function strike(world: ProcessWorld, fleet: Fleet, mood: Mood): void {
  const { random } = world.timeline;
  if (mood === 'deaths') return befall(world, fleet, 'death');
  if (mood === 'losses') return befall(world, fleet, 'loss');
  if (mood === 'stops') return stopOne(world);
  const chance = random.next();
  if (chance < 0.16) fleet.kill(random.pick([...services]));
  else if (chance < 0.3) befall(world, fleet, 'death');
  else if (chance < 0.44) befall(world, fleet, 'loss');
  else if (chance < 0.54) befall(world, fleet, 'sleep');
  else if (chance < 0.62) stopOne(world);
  else if (chance < 0.76) failPart(world, random.pick(partsOf(world)));
  else if (chance < 0.82) wipeBroker(world);
  else if (chance < 0.94) loseTouch(world, fleet);
  else fleet.hang(random);
}

/** Begins an action; its consequences happen in the timeline. */
export function begin(stage: Stage, action: Action): void {
  const { world, fleet, underWay } = stage;
  const request = requestOf(action);
  if (request) {
    world.timeline.enqueue(null, () => {
      const sending: Promise<void> = send(stage, request).finally(() => underWay.delete(sending));
      underWay.add(sending);
    });
    return;
  }
  if (action.do === 'wipe_broker') return world.timeline.enqueue(null, () => wipeBroker(world));
  if (action.do === 'restart_all') {
    if (world.timeline.random.next() < 0.5) return fleet.restartAll();
    return serving(world).forEach((process) => stop(world, process));
  }
  if (action.do === 'kill') return fleet.kill(action.service);
  if (action.do === 'time_passes') return failPart(world, ports.broker);
}
