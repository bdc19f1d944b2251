/** A recorded resolution in the words of the contract. */
import type { OperationView } from '@platform/contracts-operator';
import { evidenceInView } from '@platform/durable/journal';
import type { Resolution } from './operation';

export function resolutionView(resolution: Resolution): NonNullable<OperationView['resolution']> {
  const { at, evidence, override, ...said } = resolution;
  return {
    ...said,
    at: at.toISOString(),
    ...(evidence && { evidence: evidenceInView(evidence) }),
    ...(override && { override: { ...override } }),
  };
}
