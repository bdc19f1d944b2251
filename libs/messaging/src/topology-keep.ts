/**
 * Recreates the parts of the topology that the broker has lost, and changes nothing that exists, so an older build that
 * runs this beside a newer one undoes none of its changes. For a process that may create streams, never for a service.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { JetStreamManager, StreamConfig } from '@nats-io/jetstream';
import type { Log } from '@platform/kernel';
import { applyDurable, unlessAbsent } from './nats-streams';
import { bucketConfig, fixedDurable, streamConfig } from './topology-config';
import { bucketStream } from './topology';
import { atBroker, copiesBy, type ApplyOptions, type AtBroker } from './topology-apply';

export type RestoreOptions = Omit<ApplyOptions, 'agreed'>;

/** Streams, durables (`STREAM/durable`) and buckets (`KV_name`) that were missing and were recreated. */
export async function restoreTopology(options: RestoreOptions): Promise<readonly string[]> {
  return atBroker(options, async (broker) => {
    const { jsm, topology } = broker;
    const created: string[] = [];
    const existing = await configsOf(broker);
    const copiesOf = copiesBy(existing, options.replicas);
    const create = async (config: Partial<StreamConfig> & { readonly name: string }): Promise<void> => {
      if (existing.has(config.name)) return;
      await jsm.streams.add(config);
      created.push(config.name);
    };
    for (const declared of topology.streams) {
      await create(streamConfig(declared, copiesOf(declared.name), broker.features));
      for (const fixed of declared.durables) {
        if (await unlessAbsent(jsm.consumers.info(declared.name, fixed.durable))) continue;
        await applyDurable(jsm, fixedDurable(declared.name, fixed));
        created.push(`${declared.name}/${fixed.durable}`);
      }
    }
    for (const declared of topology.buckets)
      await create(bucketConfig(declared, copiesOf(bucketStream(declared.name))));
    return created;
  });
}

/** Without the counts of subjects, which `applyTopology` needs and which cost the broker time in a full stream. */
async function configsOf({ jsm, topology }: AtBroker): Promise<ReadonlyMap<string, { readonly config: StreamConfig }>> {
  const names = [
    ...topology.streams.map(({ name }) => name),
    ...topology.buckets.map(({ name }) => bucketStream(name)),
  ];
  const found = await Promise.all(names.map((name) => infoOf(jsm, name)));
  return new Map(found.flatMap((info) => (info ? [[info.config.name, info] as const] : [])));
}

const infoOf = (jsm: JetStreamManager, name: string) => unlessAbsent(jsm.streams.info(name));

export interface KeepOptions extends RestoreOptions {
  readonly log: Pick<Log, 'error' | 'warn'>;
  readonly signal: AbortSignal;
  /** Pause between two checks. Default 10,000. */
  readonly everyMs?: number;
  /** The keeper gives up after this time without a successful check. Default: never. */
  readonly givesUpAfterMs?: number;
}

/**
 * Checks until the signal is aborted. A loss is an error in the log, because messages that only the broker had are lost; a
 * broker that does not answer is logged once, until it answers again. Rejects only after `givesUpAfterMs`: a process that
 * starts again reads the certificates and passwords that a rotation has changed.
 */
export async function keepTopology({
  log,
  signal,
  everyMs = 10_000,
  givesUpAfterMs = Infinity,
  ...options
}: KeepOptions): Promise<void> {
  let awaySince: number | undefined;
  while (!signal.aborted) {
    try {
      const created = await restoreTopology(options);
      awaySince = undefined;
      if (created.length > 0)
        log.error({ created }, 'the broker had lost these; they are created again, and outboxes and records fill them');
    } catch (error) {
      if (awaySince === undefined)
        log.warn({ reason: String(error) }, 'the topology could not be looked at; looking again');
      awaySince ??= performance.now();
      if (performance.now() - awaySince >= givesUpAfterMs)
        throw new Error(`the topology could not be looked at for ${Math.round(givesUpAfterMs / 1_000)} s`, {
          cause: error,
        });
    }
    await pause(everyMs, undefined, { signal }).catch(() => undefined);
  }
}
