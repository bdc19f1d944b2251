/** The mirror follows what an operation has learnt of the provider, noted durably first and read at once. */
import { refreshMirror, requestRefresh } from '../../mirror/workflows/refresh-mirrors';
import type { Operation } from '../domain/operation';
import type { OperatorPorts } from './ports';

type MirrorAtOncePorts = Pick<OperatorPorts, 'subscriptions' | 'plans' | 'provider' | 'refreshes' | 'clock' | 'log'>;

/** Never fails: what cannot be read now stays noted and is read by the regular refresh. */
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
