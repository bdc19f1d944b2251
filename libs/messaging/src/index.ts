export * from './port';
export { connectMessaging } from './nats-connect';
export type { BrokerCredentials } from './nats-context';
export { isReadBy, maxBodyBytes, maxReplyBytes, platformTopology } from './topology';
export type { Topology } from './topology';
export { applyTopology, ensureTopology, TopologyLossError } from './topology-apply';
export { TopologyError } from './topology-error';
export { keepTopology, restoreTopology } from './topology-keep';
