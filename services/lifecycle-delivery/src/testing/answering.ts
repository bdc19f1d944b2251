/** Ports whose fenced writes have a fixed outcome. */
import type { DeliveryPorts } from '../workflows/ports';

/** The same ports, with this outcome of every fenced write of one collection. */
export function answering(
  ports: DeliveryPorts,
  name: 'messages' | 'deliveries' | 'consumers',
  outcome: 'not_applied' | 'unknown',
): DeliveryPorts {
  const mutate = async () => (outcome === 'unknown' ? { outcome, reason: 'the answer was lost' } : { outcome });
  return { ...ports, [name]: { ...ports[name], mutate } } as DeliveryPorts;
}
