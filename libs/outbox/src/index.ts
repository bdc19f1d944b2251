export * from './port';
export { createOutboxRelay, type OutboxRelay, type OutboxRelayOptions } from './relay';
export type { SweepReport } from './source-sweep';
