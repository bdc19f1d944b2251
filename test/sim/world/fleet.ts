/**
 * The supervisor of one history: it boots instances, boots a successor for a process that crashed or hangs, and selects
 * processes that can take a request. A process that hangs remains as a zombie that wakes later, while its successor
 * works.
 */
import { InvariantError } from '@platform/kernel';
import { CrashedError, type Random } from '@platform/testing';
import type { Process } from '../engine/timeline';
import { bootBillingWebhook, type ReceiverApi } from './billing-webhook';
import { bootConsumer, consumers } from './consumer';
import { bootLifecycleDelivery } from './lifecycle-delivery';
import { dependenciesOf, payingServiceDependencies, serviceDependencies } from './dependencies';
import { bootOperator, type OperatorApi } from './operator';
import { bootProvisioning } from './provisioning';
import { services, type ServiceName, type World } from './world';

interface Apis {
  readonly operator: OperatorApi;
  readonly 'billing-webhook': ReceiverApi;
}

interface Member {
  readonly process: Process;
  /** Absent until the process has booted. */
  api: object | undefined;
}

export interface Fleet {
  /** Starts one or two instances of every service. */
  start(): void;
  /** Starts the consumers once a service can register them. */
  startConsumers(): void;
  /** A process of this service that has booted and is awake. */
  pick<S extends keyof Apis>(service: S): { readonly process: Process; readonly api: Apis[S] } | undefined;
  /** Kills one process of a service, if one is awake. */
  kill(service: string): void;
  /** Kills every process that is awake; successors boot. */
  restartAll(): void;
  /** Stops one process that is awake, of this service or of any, at its current step, while a successor boots. */
  hang(random: Random, service?: string): void;
  /** A zombie continues from where it stopped; false when there is none. */
  thaw(): boolean;
  readonly counts: { crashes: number; zombies: number; boots: number };
}

const rebootMs = 1_000;

/** Boots a process; resolves when it serves. */
export type Boot = (process: Process, hooks: Parameters<typeof dependenciesOf>[2]) => Promise<object>;

function onModels(world: World, process: Process, hooks: Parameters<Boot>[1]): Promise<object> {
  const dependencies = dependenciesOf(world, process, hooks);
  switch (process.service) {
    case 'operator':
      return bootOperator(payingServiceDependencies(dependencies, 'operator'));
    case 'lifecycle-delivery':
      return bootLifecycleDelivery(serviceDependencies(dependencies, 'lifecycle-delivery'));
    case 'provisioning':
      return bootProvisioning(payingServiceDependencies(dependencies, 'provisioning'));
    case 'billing-webhook':
      return bootBillingWebhook(serviceDependencies(dependencies, 'billing-webhook'));
    default:
      return bootConsumer(dependencies);
  }
}

/** The fleet of a history whose processes are the workflows on modelled ports. */
export function createFleet(world: World): Fleet {
  return supervise(world, (process, hooks) => onModels(world, process, hooks));
}

/** A fleet of processes that `boot` starts. */
export function supervise(world: Pick<World, 'timeline' | 'faults' | 'problems'>, boot: Boot): Fleet {
  const { timeline } = world;
  const counts = { crashes: 0, zombies: 0, boots: 0 };
  let members: Member[] = [];

  function start(service: string, instance: string): void {
    counts.boots += 1;
    const undisturbed = world.faults.ceased;
    const member: Member = { process: timeline.spawn(service, instance), api: undefined };
    members.push(member);
    timeline
      .guarded(member.process, () => boot(member.process, { crash, freeze, wake }))
      .then(
        (api) => {
          member.api = api;
          member.process.booted = true;
        },
        (error: unknown) => {
          if (error instanceof CrashedError) return;
          // No content of a record may break a start. Other failures are caused by faults, as long as those continue.
          if (undisturbed || error instanceof InvariantError)
            world.problems.push(`${member.process.incarnation} could not boot: ${String(error)}`);
          crash(member.process);
        },
      );
  }

  function succeed({ service, instance }: Process): void {
    void timeline.sleep(null, rebootMs).then(() => start(service, instance));
  }

  function crash(process: Process): void {
    if (process.state === 'dead') return;
    counts.crashes += 1;
    const hung = process.state === 'frozen';
    timeline.kill(process);
    members = members.filter((each) => each.process !== process);
    if (!hung) succeed(process);
  }

  function freeze(process: Process): void {
    if (process.state !== 'running') return;
    counts.zombies += 1;
    process.state = 'frozen';
    succeed(process);
  }

  function wake(collection: string, writer: Process): void {
    for (const { process } of members)
      if (process !== writer && process.state === 'frozen' && process.sleepsAt?.startsWith(`${collection}.`))
        process.state = 'running';
  }

  const awake = (service?: string) =>
    members.filter(
      ({ process }) => process.state === 'running' && (service === undefined || process.service === service),
    );

  return {
    counts,
    start() {
      const replicas = (service: ServiceName): number =>
        timeline.random.next() < (service === 'operator' ? 0.5 : 0.2) ? 2 : 1;
      for (const service of services)
        for (let replica = replicas(service); replica > 0; replica -= 1) start(service, `${service}-${replica}`);
    },
    startConsumers() {
      for (const consumer of Object.keys(consumers)) start(consumer, `${consumer}-1`);
    },
    pick: <S extends keyof Apis>(service: S) => {
      const able = awake(service).filter(({ api }) => api !== undefined);
      return able.length === 0 ? undefined : (timeline.random.pick(able) as { process: Process; api: Apis[S] });
    },
    kill(service) {
      const able = awake(service);
      if (able.length > 0) crash(timeline.random.pick(able).process);
    },
    restartAll() {
      for (const { process } of awake()) crash(process);
    },
    hang(random, service) {
      const able = awake(service).filter(({ process }) => services.includes(process.service as ServiceName));
      if (able.length > 0) freeze(random.pick(able).process);
    },
    thaw() {
      const zombies = members.filter(({ process }) => process.state === 'frozen');
      if (zombies.length === 0) return false;
      timeline.random.pick(zombies).process.state = 'running';
      return true;
    },
  };
}
