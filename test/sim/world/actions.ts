/**
 * What people and machines do in a history, as data, so that a failing history can be replayed with fewer actions; and
 * how each action begins.
 */
import type { CreateWorkspace } from '@platform/contracts-provisioning';
import type { OperationRequest } from '../../../services/operator/src/operations/domain/operation';
import type { MigrationRequest } from '../../../services/operator/src/migrations/domain/migration';
import type { Fleet } from './fleet';
import type { OperatorApi } from './operator';
import type { ProviderCaller } from './provider-events';
import type { World } from './world';

export type Action =
  | { readonly do: 'ask'; readonly request: OperationRequest }
  | { readonly do: 'create'; readonly request: CreateWorkspace }
  | { readonly do: 'migrate'; readonly request: MigrationRequest }
  /** The person on the provider's checkout page. */
  | { readonly do: 'checkout'; readonly end: 'completed' | 'expired' }
  | { readonly do: 'provider_event'; readonly tenantId: string; readonly type: string }
  | { readonly do: 'wipe_broker' | 'restart_all' | 'time_passes' }
  | { readonly do: 'kill'; readonly service: string };

export interface Stage {
  readonly world: World;
  readonly fleet: Fleet;
  readonly caller: ProviderCaller;
  /** Requests that still wait for an answer. */
  readonly underWay: Set<Promise<unknown>>;
  /** How often a caller without an answer sends the same request to another process. */
  readonly repeats: number;
}

/** How long a caller waits for an answer before it repeats the request. */
const callerPatienceMs = 2_000;

function workOf(api: OperatorApi, action: Extract<Action, { readonly request: unknown }>): () => Promise<void> {
  switch (action.do) {
    case 'ask':
      return () => api.submit(action.request);
    case 'create':
      return () => api.create(action.request);
    case 'migrate':
      return () => api.migrate(action.request);
  }
}

function submit(stage: Stage, action: Extract<Action, { readonly request: unknown }>, repeats: number): void {
  const { world, fleet, underWay } = stage;
  const operator = fleet.pick('operator');
  if (!operator) return;
  const work = workOf(operator.api, action);
  const submission: Promise<unknown> = world.timeline
    .guarded(operator.process, work)
    .catch((error: unknown) => {
      if (operator.process.state !== 'dead') world.problems.push(`a request was answered with ${String(error)}`);
    })
    .finally(() => underWay.delete(submission));
  underWay.add(submission);
  if (repeats === 0) return;
  void world.timeline.sleep(null, callerPatienceMs).then(() => {
    if (underWay.has(submission)) submit(stage, action, repeats - 1);
  });
}

/** Begins an action; its consequences happen in the timeline. */
export function begin(stage: Stage, action: Action): void {
  const { world, fleet, caller } = stage;
  const { timeline, broker } = world;
  switch (action.do) {
    case 'ask':
    case 'create':
    case 'migrate':
      return submit(stage, action, stage.repeats);
    case 'checkout':
      return playCheckout(world, caller, action.end);
    case 'provider_event': {
      const subscription = `sub_${action.tenantId}`;
      const object =
        action.type === 'customer.updated'
          ? { id: `cus_${action.tenantId}` }
          : action.type === 'invoice.paid'
            ? { subscription, billing_reason: 'subscription_create' }
            : action.type.startsWith('invoice.')
              ? { subscription }
              : { id: subscription };
      return caller.send(action.type, object);
    }
    case 'wipe_broker':
      return broker.wipe();
    case 'restart_all':
      return fleet.restartAll();
    case 'time_passes':
      return void timeline.jump();
    case 'kill':
      return fleet.kill(action.service);
  }
}

/** Pays or abandons the oldest open session. */
function playCheckout({ provider, sold }: World, caller: ProviderCaller, end: 'completed' | 'expired'): void {
  for (const { step, objectId } of provider.ledger()) {
    if (step !== 'create_session') continue;
    try {
      const session = end === 'completed' ? provider.completeCheckout(objectId) : provider.expireCheckout(objectId);
      if (session.subscriptionId !== null) sold.set(session.id, session.subscriptionId);
      caller.send(`checkout.session.${end}`, { id: session.id });
      return;
    } catch {
      // The session was paid or abandoned before; the next one may be open.
    }
  }
}
