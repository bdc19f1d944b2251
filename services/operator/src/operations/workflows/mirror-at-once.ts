/**
 * The mirror follows what an operation has learnt about the provider: the refresh is noted durably first, then done at
 * once.
 */
import { refreshMirror, requestRefresh } from '../../mirror/workflows/refresh-mirrors';
import type { Operation } from '../domain/operation';
import type { OperatorPorts } from './ports';

type MirrorAtOncePorts = Pick<OperatorPorts, 'subscriptions' | 'plans' | 'provider' | 'refreshes' | 'clock' | 'log'>;

/** Never fails: a mirror that cannot be refreshed now stays noted for the regular refresh. */
export async function mirrorAtOnce(
  ports: MirrorAtOncePorts,
  { _id, tenantId }: Pick<Operation, '_id' | 'tenantId'>,
): Promise<void> {
  try {
    await requestRefresh(ports, tenantId, `operation:${_id}`, 'operation');
    await refreshMirror(ports, tenantId);
  } catch (error) {
    ports.log.warn({ operationId: _id, tenantId, err: error }, 'the mirror is not refreshed yet');
  }
}
