export {
  readEnvironment,
  secret,
  summariseConfiguration,
  type ConfigurationProblem,
  type Environment,
} from './environment';
export { createExecutor, defaultInstance } from './executor';
export { processHost, type Host } from './host';
export {
  executorIncarnations,
  registerIncarnation,
  supersession,
  type IncarnationDraft,
  type IncarnationRecord,
  type IncarnationRecords,
  type RegisteredIncarnation,
  type Supersession,
} from './incarnations';
export { createLog, type HostLog, type LogLevel, type LogOptions } from './log';
export {
  createMetrics,
  type Labels,
  type MetricCounter,
  type MetricDeclaration,
  type MetricGauge,
  type MetricHistogram,
  type Metrics,
} from './metrics';
export { startPeriodic, type Periodic, type PeriodicOptions } from './periodic';
export { createRedact, redactText, type Redact } from './redact';
export { ClosingError, createReleases, type Releases } from './releases';
export { exitCodes, runService, type ServiceContext, type ServiceDefinition } from './run-service';
export { createWorkUnderWay, type WorkUnderWay } from './work-under-way';
export { openTracing, type OpenTracing, type TracingSettings } from './tracing/open-tracing';
export { createRecording, type RecordingOptions, type RecordingTracing } from './tracing/record';
