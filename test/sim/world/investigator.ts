/**
 * Investigators with both proofs, valid or false: with the off-line tools they record resolutions of operations,
 * migrated workspaces, jobs, creations and provider events, while executors sleep, wake and work. A separate generator
 * makes their choices. A tool is a simulated process: it meets faults, dies between two writes, or sleeps and continues
 * too late.
 */
import type { Override } from '@platform/durable/investigation';
import { createKeyedMutex } from '@platform/durable/record';
import { StoreUnavailableError } from '@platform/mongo';
import type { Random } from '@platform/testing';
import { planMigrationItemsCollection } from '../../../services/operator/src/migrations/store/plan-migration-items';
import { planMigrationsCollection } from '../../../services/operator/src/migrations/store/plan-migrations';
import {
  closingInvestigation,
  itemInvestigation,
  type ResolveMigrationPorts,
} from '../../../services/operator/src/migrations/workflows/resolve-migration';
import { mirrorRefreshesCollection } from '../../../services/operator/src/mirror/store/mirror-refreshes';
import { subscriptionsOf } from '../../../services/operator/src/access/workflows/announce-access';
import { operationsCollection } from '../../../services/operator/src/operations/store/operations';
import { operationInvestigation } from '../../../services/operator/src/operations/workflows/resolve-operation';
import { webhookEventsCollection } from '../../../services/billing-webhook/src/store/webhook-events';
import { eventInvestigation } from '../../../services/billing-webhook/src/workflows/resolve-event';
import { collectionsOf } from '../../../services/provisioning/src/workflows/ports';
import { deletionsCollection } from '../../../services/provisioning/src/store/collections';
import { deletionInvestigation } from '../../../services/provisioning/src/workflows/resolve-deletion';
import { admissionInvestigation } from '../../../services/provisioning/src/workflows/resolve-event-admission';
import { attemptInvestigation } from '../../../services/provisioning/src/workflows/resolve-attempt';
import type { Process } from '../engine/timeline';
import { openTool } from './off-line-tool';
import { ownersRecord, unresolvedRecords, type Unresolved } from './unresolved';
import type { World } from './world';

export interface Investigator {
  /**
   * Selects a record with an unknown outcome (record `id` if given and open) and records one; does nothing when there
   * is none.
   */
  judge(id?: string, chanceOfError?: number): void;
  /** A sleeping tool continues; false when there is none. */
  thaw(): boolean;
  /** The number of resolutions recorded so far. */
  readonly recorded: number;
}

const usualChanceOfError = 0.3;
const executorStopped = 'its host was reinstalled, as far as we know';
const by = 'ops@example.com';
const byTwo: Override = { reason: 'it must be decided now', approvedBy: 'second@example.com' };
/** How often two people record a resolution that the evidence contradicts. */
const chanceOfInsisting = 0.5;
type Tool = ReturnType<typeof openTool>;
type Answer = { readonly ok: boolean };
type Planned<P> = { readonly ok: true; readonly value: P } | { readonly ok: false };

/**
 * Plans the resolution, as a person who reads first does, and records the plan. Two people may insist against the
 * evidence.
 */
async function decide<P>(
  plan: (override?: Override) => Promise<Planned<P>>,
  insists: boolean,
  record: (planned: P) => Promise<Answer>,
): Promise<boolean> {
  const alone = await plan();
  const planned = alone.ok || !insists ? alone : await plan(byTwo);
  return planned.ok && (await record(planned.value)).ok;
}

export function createInvestigator(world: World, random: Random): Investigator {
  const { timeline } = world;
  let asleep: Process[] = [];
  let recorded = 0;

  function work({ store, shared }: Tool, found: Unresolved, wrong: boolean, insists: boolean): Promise<boolean> {
    const outcome = found.applied === wrong ? ('not_applied' as const) : ('applied' as const);
    const providerObject = outcome === 'applied' ? (found.objectId ?? 'obj_of_another') : null;
    const asked = (override?: Override) => ({
      id: found.id,
      outcome,
      executorStopped,
      providerObject,
      by,
      ...(override && { override }),
    });
    switch (found.kind) {
      case 'operation': {
        const operator = store('operator');
        const ports = {
          ...shared,
          operations: operator.collection(operationsCollection),
          subscriptions: subscriptionsOf(operator, timeline.clock),
          refreshes: operator.collection(mirrorRefreshesCollection),
        };
        return decide(
          (override) => operationInvestigation.plan(ports, asked(override)),
          insists,
          (each) => operationInvestigation.record(ports, each),
        );
      }
      case 'item':
      case 'migration': {
        const operator = store('operator');
        const ports: ResolveMigrationPorts = {
          ...shared,
          migrations: operator.collection(planMigrationsCollection),
          items: operator.collection(planMigrationItemsCollection),
          subscriptions: subscriptionsOf(operator, timeline.clock),
          refreshes: operator.collection(mirrorRefreshesCollection),
        };
        return found.kind === 'item'
          ? decide(
              (override) => itemInvestigation.plan(ports, asked(override)),
              insists,
              (each) => itemInvestigation.record(ports, each),
            )
          : decide(
              () => closingInvestigation.plan(ports, { id: found.id, executorStopped, by }),
              insists,
              (each) => closingInvestigation.record(ports, each),
            );
      }
      case 'attempt': {
        const provisioning = store('provisioning');
        const limits = {
          freeWorkspacesPerCard: 0,
          trialDays: 0,
          creationsPerUser: 0,
          creationWindowMs: 0,
          listenerTimeoutMs: 0,
        };
        const ports = {
          ...shared,
          ...collectionsOf(provisioning),
          limits,
          databaseNow: () => provisioning.now(),
          mutex: createKeyedMutex(),
        };
        return decide(
          (override) => attemptInvestigation.plan(ports, asked(override)),
          insists,
          (each) => attemptInvestigation.record(ports, each),
        );
      }
      case 'admission': {
        const { admissions, attempts } = collectionsOf(store('provisioning'));
        const ports = { ...shared, admissions, attempts };
        return decide(
          (override) => admissionInvestigation.plan(ports, asked(override)),
          insists,
          (each) => admissionInvestigation.record(ports, each),
        );
      }
      case 'deletion': {
        const ports = { ...shared, deletions: store('provisioning').collection(deletionsCollection) };
        return decide(
          () => deletionInvestigation.plan(ports, asked()),
          insists,
          (each) => deletionInvestigation.record(ports, each),
        );
      }
      case 'event': {
        const ports = {
          ...shared,
          events: store('billing-webhook').collection(webhookEventsCollection),
          askOwner: ownersRecord(world),
        };
        return decide(
          (override) => eventInvestigation.plan(ports, asked(override)),
          insists,
          (each) => eventInvestigation.record(ports, each),
        );
      }
    }
  }

  return {
    judge(id, chanceOfError = usualChanceOfError) {
      const unresolved = unresolvedRecords(world);
      if (unresolved.length === 0) return;
      const tool = openTool(world, `ops-${recorded + 1}`, (frozen) => void asleep.push(frozen));
      const wrong = random.next() < chanceOfError;
      const insists = random.next() < chanceOfInsisting;
      const meant = unresolved.filter((each) => each.id === id || (id !== undefined && each.about === id));
      const found = meant.length > 1 ? random.pick(meant) : (meant[0] ?? random.pick(unresolved));
      void timeline
        .guarded(tool.process, () => work(tool, found, wrong, insists))
        .then(
          (ok) => {
            if (!ok) return;
            recorded += 1;
            world.resolved.push(found.kind);
          },
          (error: unknown) => {
            if (tool.process.state === 'dead' || error instanceof StoreUnavailableError) return;
            world.problems.push(`the resolution of ${found.kind} ${found.id} let escape ${String(error)}`);
          },
        );
    },
    thaw() {
      const [first, ...others] = asleep;
      if (!first) return false;
      first.state = 'running';
      asleep = others;
      return true;
    },
    get recorded() {
      return recorded;
    },
  };
}
