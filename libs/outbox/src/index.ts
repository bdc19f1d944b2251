export * from './port';
export { createOutboxRelay, type OutboxRelay, type OutboxRelayOptions } from './relay';
