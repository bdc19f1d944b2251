/** The answer to a started checkout: the address of the page. A repeat with the same id gets the same address. */
import { checkoutViewSchema, operationViewSchema } from '@platform/contracts-operator';
import { reply } from '@platform/http-server';
import { answerInHttp } from '../../operations/http/answer';
import type { AnswerForm } from '../../operations/http/action-routes';
import type { OperationAnswer } from '../../operations/workflows/operation-answer';

/** Answered as soon as the session is recorded, whatever the caller's wait time. */
export const checkoutForm: AnswerForm = {
  responses: { 200: checkoutViewSchema, 202: operationViewSchema },
  waits: false,
  replyTo: checkoutAnswer,
};

/** The page's address while the session is open; otherwise the outcome of the operation. */
function checkoutAnswer(answer: OperationAnswer, operationId: string) {
  if (answer.kind === 'succeeded') return reply(200, { operationId, status: 'completed' as const, checkoutUrl: null });
  const operation = answer.kind === 'unfinished' ? answer.operation : undefined;
  if (operation?.checkout && operation.status === 'awaiting_receipts') {
    const { url, expiresAt, trialDays, waitsFor } = operation.checkout;
    if (waitsFor) return reply(200, { operationId, status: 'processing' as const, checkoutUrl: null, trialDays });
    return reply(200, {
      operationId,
      status: 'open' as const,
      checkoutUrl: url,
      expiresAt: expiresAt.toISOString(),
      trialDays,
    });
  }
  // Only a finished operation has status 200, and it is answered above.
  const other = answerInHttp(answer, operationId);
  return other.kind === 'reply' ? reply(202, other.body as never, other.headers) : other;
}
