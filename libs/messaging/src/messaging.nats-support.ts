/** Helpers that the integration tests of the NATS adapter share: fast settings and waiting for a condition. */
import { randomBytes } from 'node:crypto';
import { silentLog } from '@platform/kernel';
import type { MessagingOptions } from './nats-context';
import { platformTopology } from './topology';

export const lifecycle = { stream: 'LIFECYCLE', durable: 'lifecycle-delivery' };
export const topology = platformTopology();

export function createNamespaceName(): string {
  return `m${randomBytes(6).toString('hex')}`;
}

/** Fast settings: the least pull time that the client allows, and short delays. */
export function settings(url: string, name: string, namespace: string): MessagingOptions {
  return {
    url,
    name,
    namespace,
    topology,
    log: silentLog,
    pullExpiresMs: 1_000,
    redelivery: { baseMs: 10, capMs: 50 },
  };
}

export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((settle) => setTimeout(settle, 5));
}
