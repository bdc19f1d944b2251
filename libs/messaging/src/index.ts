export * from './port';
export { connectMessaging } from './nats-connect';
export { maxBodyBytes, maxReplyBytes, platformTopology } from './topology';
export type { Topology } from './topology';
export { applyTopology, ensureTopology, TopologyLossError } from './topology-apply';
