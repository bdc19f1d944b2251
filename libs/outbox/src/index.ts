export * from './port';
export { createOutboxRelay, type OutboxRelay } from './relay';
