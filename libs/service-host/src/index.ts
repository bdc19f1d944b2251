export { isSecret, readEnvironment, secret, summariseConfiguration } from './environment';
export { type Host } from './host';
export {
  declareGone,
  IncarnationNotWrittenError,
  openBoots,
  registerIncarnation,
  supersession,
  type IncarnationRecord,
  type IncarnationRecords,
  type RegisteredIncarnation,
} from './incarnations';
export { textOfProcesses, type Figures, type Metrics } from './metrics';
export { observeStore } from './observe-store';
export { startPeriodic } from './periodic';
export { createRedact } from './redact';
export { runService, type ServiceContext } from './run-service';
export { createRecording, type RecordingTracing } from './tracing/record';
export { readSecretFiles } from './secret-files';
