/** Asks provisioning whether a workspace is committed; throws when there is no readable answer. */
import { gateSubject, gateAnswerSchema } from '@platform/contracts-provisioning';
import type { Messaging } from '@platform/messaging';
import { TenantLifecycleError } from '../tenant-lifecycle/types';
import { requestTimeoutMs } from './keep-registered';

const unavailable = (why: string): TenantLifecycleError =>
  new TenantLifecycleError('gate_unavailable', `the commit gate ${why}`);

export async function askCommitGate(messaging: Pick<Messaging, 'request'>, tenantId: string): Promise<boolean> {
  const answer = await messaging.request(gateSubject, { tenantId }, requestTimeoutMs);
  if (!answer.ok) throw unavailable(`did not answer: ${answer.error.serverCode ?? answer.error.code}`);
  const decoded = gateAnswerSchema.safeParse(answer.value);
  if (!decoded.success) throw unavailable('gave an answer that this version cannot read');
  return decoded.data.committed;
}
