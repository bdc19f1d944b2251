/**
 * What the specification allows, with one rule for each of its sentences. The rules are separate, so that the model can
 * be checked without any one of them: a rule whose removal makes no theorem fail would be useless.
 */
import { alertRules } from './alerts';
import { creationAndReservationRules } from './creations';
import { isForgotten } from './effects-of-events';
import { providerEventRules } from './provider-events';
import { rule, type Rule } from './rule';
import {
  ended,
  hasLeft,
  isAnswered,
  isOpen,
  newWorkspace,
  retryWindow,
  type Event,
  type Operation,
  type World,
} from './world';

export type { Rule };

const of = (world: World, id: string): Operation | undefined => world.operations[id];
const workspaceOf = (world: World, tenant: string) => world.workspaces[tenant] ?? newWorkspace;

const operationRules: readonly Rule[] = [
  rule('an intent is stored once and stays as it is', 'specification §2', (world, event) => {
    if (event.kind === 'rewrite') return `its identity has changed`;
    return event.kind === 'intent' && of(world, event.operation) ? 'it is stored a second time' : null;
  }),
  rule('an attempt begins or resumes what is pending, failed or waiting', 'specification §1', (world, event) => {
    if (event.kind !== 'attempt') return null;
    const { status = 'absent' } = of(world, event.operation) ?? {};
    return ['pending', 'failed', 'waiting'].includes(status) ? null : `an attempt begins while it is ${status}`;
  }),
  rule('what an investigation ended does not begin again', 'specification §1', (world, event) =>
    event.kind === 'attempt' && of(world, event.operation)?.resolved ? 'an attempt begins after a resolution' : null,
  ),
  rule('an attempt serves a request that came within 23 hours of the intent', 'specification §8', (world, event) => {
    const operation = event.kind === 'attempt' ? of(world, event.operation) : undefined;
    if (!operation || operation.status === 'waiting') return null;
    const { operation: id } = event as { readonly operation: string };
    return (world.asks[id] ?? []).some((ask) => ask - operation.bornAt < retryWindow)
      ? null
      : 'an attempt begins, and no unanswered request is within the retry window';
  }),
  rule(
    'only an attempt that runs, or what others have answered, has an outcome',
    'specification §2',
    (world, event) => {
      if (event.kind !== 'journal') return null;
      const { status = 'absent' } = of(world, event.operation) ?? {};
      return status === 'running' || status === 'waiting' ? null : `${event.status} is written while it is ${status}`;
    },
  ),
  rule('an unknown outcome ends in reconciliation', 'specification §1', (world, event) => {
    if (event.kind !== 'journal' || event.status === 'reconciliation_required') return null;
    const open = of(world, event.operation)?.calls.filter(isOpen) ?? [];
    return open.length > 0 ? `${event.status} is written, without a known outcome of ${open[0]!.key}` : null;
  }),
  rule('a resolution ends what has stopped, hangs or waits', 'specification §1', (world, event) => {
    if (event.kind !== 'resolve') return null;
    const { status = 'absent' } = of(world, event.operation) ?? {};
    return ['running', 'waiting', 'reconciliation_required'].includes(status)
      ? null
      : `it is resolved while it is ${status}`;
  }),
  rule('a success has its receipts', 'specification §3', (world, event) => {
    const operation = event.kind === 'journal' && event.status === 'succeeded' ? of(world, event.operation) : undefined;
    if (!operation?.lifecycle || operation.lifecycle === 'created') return null;
    return isAnswered(world.messages[(event as { readonly operation: string }).operation])
      ? null
      : 'it succeeds before every required consumer has answered';
  }),
];

const callRules: readonly Rule[] = [
  rule(
    'a call is written by an attempt that runs, and only when nothing is open',
    'specification §1',
    (world, event) => {
      if (event.kind !== 'call') return null;
      const operation = of(world, event.operation);
      if (operation?.status !== 'running')
        return `${event.key} is written while it is ${operation?.status ?? 'absent'}`;
      return operation.calls.some(isOpen) ? `${event.key} is written after a call whose outcome is open` : null;
    },
  ),
  rule('a step that took effect is not asked for when its key is forgotten', 'specification §8', (world, event) => {
    const key = event.kind === 'request' ? world.keys[event.key] : undefined;
    return key && key.effects > 0 && isForgotten(key, event.at) ? 'it took effect, and its key is forgotten' : null;
  }),
  rule('a retry has the payload of the first call', 'specification §3', (world, event) => {
    if (event.kind !== 'call' && event.kind !== 'request') return null;
    const known = world.keys[event.key];
    return known && known.payload !== event.payload ? `another payload under ${event.key}` : null;
  }),
  rule('a request leaves when its call is written down', 'specification §1', (world, event) => {
    if (event.kind !== 'request') return null;
    const { calls = 0, requests = 0 } = world.keys[event.key] ?? {};
    return requests < calls ? null : `request ${requests + 1} under ${event.key}, and ${calls} calls are written down`;
  }),
  rule('what was sent is not called never sent', 'specification §1', (world, event) => {
    if (event.kind !== 'withdraw') return null;
    const { calls = 0, requests = 0 } = world.keys[event.key] ?? {};
    return requests < calls ? null : `${event.key} is called never sent, and ${requests} requests have left`;
  }),
  rule('what is written of an outcome is true', 'specification §1', (world, event) => {
    if (event.kind !== 'outcome' || event.outcome === 'unknown') return null;
    const call = of(world, event.operation)?.calls[event.call];
    const key = call && world.keys[call.key];
    if (!key) return 'an outcome of a call that is not written down';
    if (event.outcome === 'succeeded')
      return key.effects > 0 ? null : `${call.key} is called succeeded, and the provider did not do it`;
    if (key.effects > 0) return `${call.key} is called failed, and the provider did it`;
    return key.inFlight === 0 && key.refused === key.calls
      ? null
      : `${call.key} is called failed, and ${key.refused} of ${key.calls} were refused`;
  }),
  rule('an outcome is written once', 'specification §3', (world, event) => {
    if (event.kind !== 'outcome') return null;
    const known = of(world, event.operation)?.calls[event.call]?.outcome;
    return known === undefined ? null : `what was ${known} is called ${event.outcome}`;
  }),
  rule('the provider does under one key one thing', 'of the provider', (world, event) => {
    if (event.kind !== 'effect') return null;
    const key = world.keys[event.key];
    if (!key || key.inFlight < 1) return `an effect of ${event.key} without a request`;
    return key.effects > key.late ? `a second effect of ${event.key}` : null;
  }),
];

const workspaceRules: readonly Rule[] = [
  rule('one transition holds a subscription', 'specification §2', (world, event) => {
    if (event.kind !== 'take') return null;
    const { holder } = workspaceOf(world, event.tenant);
    if (holder !== null && holder !== event.operation) return `${event.tenant} is held by ${holder}`;
    const { status, resolved } = of(world, event.operation) ?? {};
    // An executor that slept while a person ended the operation may still take it, but performs nothing under it.
    return status && (resolved || !ended(status))
      ? null
      : `${event.tenant} is taken by what is ${status ?? 'not stored'}`;
  }),
  rule('a transition is cleared after its journal', 'specification §2', (world, event) => {
    if (event.kind !== 'clear') return null;
    const operation = of(world, event.operation);
    if (operation && hasLeft(operation, workspaceOf(world, event.tenant).heldIn)) return null;
    return `its transition is cleared while it is ${operation?.status ?? 'not stored'}`;
  }),
  rule('a deletion marker fences and stays', 'specification §2', (world, event) => {
    if (event.kind === 'unmark') return 'its deletion marker is gone';
    if (event.kind === 'take' || event.kind === 'access') {
      if (workspaceOf(world, event.tenant).deletion === null) return null;
      if (event.kind === 'access') return event.state === 'open' ? 'it is opened after its deletion' : null;
      return of(world, event.operation)?.deletes ? null : 'a transition begins after its deletion';
    }
    return null;
  }),
  rule('access opens after every receipt', 'specification §6', (world, event) => {
    if (event.kind !== 'access' || event.state !== 'open') return null;
    const by = event.operation === null ? undefined : of(world, event.operation);
    if (by?.resolved) return null;
    const { suspendedBy, suspendedIn } = workspaceOf(world, event.tenant);
    if (by?.lifecycle === 'reactivation_requested')
      return isAnswered(world.messages[event.operation ?? '']) ? null : 'it opens before every required receipt';
    if (suspendedBy === null) return null;
    // A failed suspension reopens the workspace, also when its next attempt has begun.
    const suspension = of(world, suspendedBy);
    return suspension && suspension.status !== 'succeeded' && hasLeft(suspension, suspendedIn)
      ? null
      : `it opens although ${suspendedBy} has suspended it`;
  }),
  rule('access is closed before any consumer is notified', 'specification §6', (world, event) => {
    if (event.kind !== 'announce' || event.transition === 'created' || world.messages[event.operation]) return null;
    return workspaceOf(world, event.tenant).access === 'closed'
      ? null
      : `${event.transition} is said while access is open`;
  }),
  rule('created is said of what is committed', 'specification §6', (world, event) =>
    event.kind === 'announce' && event.transition === 'created' && !world.committed.includes(event.tenant)
      ? 'created is said, and the creation is not committed'
      : null,
  ),
  rule('a receipt stays', 'specification §6', (_world, event) =>
    event.kind === 'undeliver' ? `what ${event.consumer} has answered is gone` : null,
  ),
  rule('a message settles when no consumer owes an answer', 'specification §6', (world, event) => {
    if (event.kind !== 'settle') return null;
    const message = world.messages[event.operation];
    if (!message) return 'what was never said is settled';
    const owing = message.required.filter((consumer) => !message.done.includes(consumer));
    return owing.length === 0 ? null : `it settles, and ${owing.join(', ')} owes an answer`;
  }),
];

export const rules: readonly Rule[] = [
  ...[...operationRules, ...callRules, ...workspaceRules],
  ...[...creationAndReservationRules, ...providerEventRules, ...alertRules],
];

export interface Breach {
  readonly rule: string;
  readonly message: string;
}

/** Every rule that the event breaks. */
export function breachesOf(world: World, event: Event, by: readonly Rule[] = rules): Breach[] {
  return by.flatMap(({ name, judge }) => {
    const message = judge(world, event);
    return message === null ? [] : [{ rule: name, message }];
  });
}
