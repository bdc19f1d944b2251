/** Asks provisioning whether a workspace is committed; without a readable answer there is none, and the caller learns that. */
import { GATE_REQUEST, gateAnswerSchema } from '@platform/contracts-provisioning';
import type { Messaging } from '@platform/messaging';
import { TenantLifecycleError } from '../tenant-lifecycle/types';
import { REQUEST_TIMEOUT_MS } from './keep-registered';

const unavailable = (why: string): TenantLifecycleError =>
  new TenantLifecycleError('gate_unavailable', `the commit gate ${why}`);

export async function askCommitGate(messaging: Pick<Messaging, 'request'>, tenantId: string): Promise<boolean> {
  const answer = await messaging.request(GATE_REQUEST, { tenantId }, REQUEST_TIMEOUT_MS);
  if (!answer.ok) throw unavailable(`did not answer: ${answer.error.serverCode ?? answer.error.code}`);
  const decoded = gateAnswerSchema.safeParse(answer.value);
  if (!decoded.success) throw unavailable('gave an answer that this version cannot read');
  return decoded.data.committed;
}
