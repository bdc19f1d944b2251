export * from './port';
export { connectMessaging } from './nats-connect';
export type { MessagingOptions } from './nats-connect';
export { TopologyError } from './topology-error';
export { createNamespace, maxBodyBytes, maxReplyBytes, parseTopology, platformTopology } from './topology';
export type { FixedDurable, Namespace, StreamDeclaration, Topology } from './topology';
export { applyTopology, ensureTopology } from './topology-apply';
export type { AppliedTopology, ApplyOptions } from './topology-apply';
export { MessageTooLargeError } from './wire';
