/**
 * The life of a service process: environment, log, identity, composition, and an orderly end. A service supplies its
 * schema and its composition root; start, error reporting and stop are the same everywhere.
 */
import { createIds, systemClock, type Clock, type Executor, type Ids, type Tracing } from '@platform/kernel';
import { z } from 'zod';
import { readEnvironment, secretTexts, summariseConfiguration, type ConfigurationProblem } from './environment';
import { createExecutor, defaultInstance } from './executor';
import { processHost, type Host } from './host';
import { createLog, logLevels, type HostLog } from './log';
import { createMetrics, type Metrics } from './metrics';
import { ClosingError, createReleases, type Releases } from './releases';
import { readSecretFiles } from './secret-files';
import { openTracing } from './tracing/open-tracing';

/** Exit codes: an orderly end, a failure, a wrong configuration (EX_CONFIG of sysexits). */
const exitCodes = { orderly: 0, failure: 1, configuration: 78 } as const;

export interface ServiceContext<C> {
  readonly service: string;
  readonly config: C;
  readonly log: HostLog;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Service, instance and the incarnation of this boot. */
  readonly executor: Executor;
  readonly metrics: Metrics;
  /** For the libraries that send and receive; records spans when `OTEL_EXPORTER_OTLP_ENDPOINT` is set. */
  readonly tracing: Tracing;
  /** Waits for a resource and remembers its release; see {@link Releases.open}. */
  readonly open: Releases['open'];
  /**
   * Begins the orderly end from inside, for example when the broker's connection has ended permanently; exit code 1.
   */
  stop(reason: string, error?: unknown): void;
}

export interface ServiceDefinition<S extends z.ZodObject> {
  /** In kebab-case, like the folder. */
  readonly name: string;
  readonly schema: S;
  /**
   * The composition root. It resolves when the service serves; everything that it opened through `open` is closed at
   * the end.
   */
  compose(context: ServiceContext<Readonly<z.output<S>>>): Promise<{ readonly url?: string } | void>;
}

function hostSchema(service: string) {
  return z.object({
    INSTANCE: z
      .string()
      .regex(/^[a-z0-9][a-z0-9.-]{0,62}$/, 'must be 1 to 63 of a-z, 0-9, dot, hyphen')
      .default(defaultInstance(service))
      .describe('name of this instance, unique among live replicas'),
    LOG_LEVEL: z.enum(logLevels).default('info'),
    LOG_FORMAT: z.enum(['json', 'human']).optional(),
    OTEL_EXPORTER_OTLP_ENDPOINT: z
      .url({ protocol: /^https?$/ })
      .optional()
      .describe('receiver of spans over OTLP/HTTP; absent: none are recorded'),
    TRACE_CONTEXT: z
      .enum(['off', 'carried'])
      .default('off')
      .describe('carried: log lines and messages name their trace also where no spans are recorded'),
    OTEL_TRACES_SAMPLER_ARG: z.coerce
      .number()
      .min(0)
      .max(1)
      .default(1)
      .describe('share of the traces that begin here and are recorded'),
  });
}

interface End {
  /** Resolves with the exit code once the end has begun and all releases have run. */
  readonly code: Promise<number>;
  /** Begins the end. A failure during the end does not begin it again, but sets the exit code. */
  begin(reason: string, code: number, error?: unknown): void;
  begun(): boolean;
}

function createEnd(log: HostLog, releases: Releases): End {
  let settle: (code: number) => void;
  let worst: number | undefined;
  const code = new Promise<number>((resolve) => {
    settle = resolve;
  });
  const start = (wanted: number): void => {
    worst = wanted;
    releases.close().then(
      () => settle(worst ?? wanted),
      () => settle(exitCodes.failure),
    );
  };
  return {
    code,
    begun: () => worst !== undefined,
    begin: (reason, wanted, error) => {
      // A resource that was being opened when the end began is refused; that is not a failure of the service.
      if (worst !== undefined && error instanceof ClosingError) return;
      const fields = error === undefined ? { reason } : { reason, error };
      if (worst !== undefined) {
        log.error(fields, 'failed while stopping');
        worst = exitCodes.failure;
        return;
      }
      if (wanted === exitCodes.orderly) log.info(fields, 'stopping');
      else log.fatal(fields, 'stopping after a failure');
      start(wanted);
    },
  };
}

function listen(host: Host, log: HostLog, end: End): void {
  let signals = 0;
  host.onSignal((signal) => {
    signals += 1;
    if (signals === 1) return end.begin(signal, exitCodes.orderly);
    log.fatal({ signal }, 'ending at once at the second signal');
    host.exit(exitCodes.failure);
  });
  host.onFatal((error, origin) => end.begin(origin, exitCodes.failure, error));
}

function refuseToStart(host: Host, service: string, problems: readonly ConfigurationProblem[]): number {
  host.complain(`${service} cannot start, its environment is wrong:\n`);
  for (const { variable, message } of problems) host.complain(`  ${variable}: ${message}\n`);
  host.exit(exitCodes.configuration);
  return exitCodes.configuration;
}

/**
 * Runs the service until it ends; returns the exit code (also passed to `host.exit`): 0 after a first SIGTERM or SIGINT
 * and clean releases, 1 after a failure, 78 for a wrong environment. A second signal ends the process at once with 1.
 */
export async function runService<S extends z.ZodObject>(
  definition: ServiceDefinition<S>,
  host: Host = processHost(),
): Promise<number> {
  const { name, schema } = definition;
  const files = readSecretFiles(Object.keys(schema.shape), host.environment);
  const own = readEnvironment(hostSchema(name), host.environment);
  const config = readEnvironment(schema, files.environment);
  if (!own.ok || !config.ok || files.problems.length > 0) {
    const unread = new Set(files.problems.map(({ variable }) => variable));
    return refuseToStart(host, name, [
      ...files.problems,
      ...(own.ok ? [] : own.error),
      ...(config.ok ? [] : config.error.filter(({ variable }) => !unread.has(`${variable}_FILE`))),
    ]);
  }
  const { INSTANCE: instance, LOG_LEVEL: level, LOG_FORMAT: format = host.interactive ? 'human' : 'json' } = own.value;
  const executor = createExecutor({ service: name, instance });
  const secrets = secretTexts(schema, config.value);
  const {
    OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
    OTEL_TRACES_SAMPLER_ARG: ratio,
    TRACE_CONTEXT: traceContext,
  } = own.value;
  const opening = openTracing({ executor, endpoint, carried: traceContext === 'carried', ratio, secrets });
  const tracing = opening instanceof Promise ? await opening : opening;
  const log = createLog({ base: { ...executor }, level, format, secrets, write: host.write, fields: tracing.fields });
  log.info({ configuration: summariseConfiguration(schema, config.value) }, 'starting');
  const releases = createReleases(log);
  const end = createEnd(log, releases);
  listen(host, log, end);
  const context: ServiceContext<Readonly<z.output<S>>> = {
    service: name,
    config: config.value,
    log,
    clock: systemClock,
    ids: createIds(),
    executor,
    metrics: createMetrics({ service: name, instance }),
    tracing,
    open: releases.open,
    stop: (reason, error) => {
      // A connection reports its end in the same way, whether the service closed it or it was lost.
      if (end.begun()) log.debug({ reason }, 'asked to stop while stopping');
      else end.begin(reason, exitCodes.failure, error);
    },
  };
  definition.compose(context).then(
    (serving) => {
      if (!end.begun()) log.info(serving?.url === undefined ? {} : { url: serving.url }, 'ready');
    },
    (error: unknown) => end.begin('the service could not be composed', exitCodes.failure, error),
  );
  const code = await end.code;
  // Released last, after everything that may still log.
  await tracing.close();
  log.info({ code }, 'stopped');
  host.exit(code);
  return code;
}
