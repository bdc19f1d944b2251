/**
 * A caller of the operator in sweeps and histories: sends requests, and remembers each answer in the form that the
 * gateway would return.
 */
import { operatorCodes } from '@platform/contracts-operator';
import { StoreUnavailableError } from '@platform/mongo';
import { fingerprintOf, type OperationRequest } from '../domain/operation';
import { answerInHttp } from '../http/answer';
import { runOperation } from '../workflows/run-operation';
import type { OperatorLife, OperatorWorld } from '../../testing/operator-world';

export async function submitOperation(
  life: OperatorLife,
  world: OperatorWorld,
  request: OperationRequest,
): Promise<void> {
  const reply = await runOperation(life.ports, request).catch((error: unknown) => {
    if (error instanceof StoreUnavailableError) return { kind: 'store_unavailable' as const, detail: error.message };
    throw error;
  });
  const answer = answerInHttp(reply, request.operationId);
  const codes: Readonly<Record<string, { readonly status: number }>> = operatorCodes;
  const status = answer.kind === 'reply' ? answer.status : (codes[answer.code]?.status ?? 503);
  world.answers.push({
    operationId: request.operationId,
    fingerprint: fingerprintOf(request),
    status,
    ...(answer.kind === 'problem' && { code: answer.code }),
    at: world.clock.now(),
  });
}

/** Work that ends, as in the service, while the store is unreachable. */
export async function unlessAway(work: Promise<unknown>): Promise<void> {
  await work.catch((error: unknown) => {
    if (!(error instanceof StoreUnavailableError)) throw error;
  });
}
