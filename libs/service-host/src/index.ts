export { readEnvironment, secret, summariseConfiguration } from './environment';
export { type Host } from './host';
export { registerIncarnation, supersession, type IncarnationRecord } from './incarnations';
export { type Metrics } from './metrics';
export { startPeriodic } from './periodic';
export { createRedact } from './redact';
export { runService, type ServiceContext } from './run-service';
export { createWorkUnderWay, type WorkUnderWay } from './work-under-way';
export { createRecording, type RecordingTracing } from './tracing/record';
