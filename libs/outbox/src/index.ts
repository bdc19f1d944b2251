export * from './port';
export { createOutboxRelay, type OutboxRelay, type OutboxRelayOptions, type SweepReport } from './relay';
