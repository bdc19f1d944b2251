/**
 * Requests settlements that the broker lost: an operation that awaits receipts sends its message once more, and
 * lifecycle-delivery answers with the settlement if the message is settled. Each round asks about a bounded number of
 * operations and the next round continues after them, so its cost does not grow with the number that wait.
 */
import { askAccepted } from '@platform/contracts-lifecycle-delivery';
import type { Messaging } from '@platform/messaging';
import type { Scalar } from '@platform/mongo';
import { lifecycleEntry } from '../domain/announcements';
import type { Operation } from '../domain/operation';
import type { OperatorPorts } from './ports';

export interface SettlementPorts extends Pick<OperatorPorts, 'operations' | 'clock' | 'log'> {
  readonly messaging: Pick<Messaging, 'request' | 'publish'>;
}

const pageSize = 150;
const pagesPerRound = 20;

/**
 * Returns how many messages were sent again; without an answer of delivery, the next round asks it. Throws
 * StoreUnavailableError.
 */
export function settlementQuestions(ports: SettlementPorts): () => Promise<number> {
  let after: readonly Scalar[] | undefined;
  return async () => {
    let said = 0;
    for (let page = 0; page < pagesPerRound; page += 1) {
      const waiting: Operation[] = await ports.operations.find(
        { status: 'awaiting_receipts' },
        { sort: { createdAt: 1, _id: 1 }, limit: pageSize, ...(after && { after }) },
      );
      const answered = await askFor(ports, waiting);
      if (answered === null) break;
      said += answered;
      const last = waiting.at(-1);
      after = last && waiting.length === pageSize ? [last.createdAt, last._id] : undefined;
      if (!after) break;
    }
    if (said > 0) ports.log.warn({ said }, 'settlements that had not come were asked for');
    return said;
  };
}

async function askFor(
  { clock, messaging, log }: SettlementPorts,
  waiting: readonly Operation[],
): Promise<number | null> {
  const messages = waiting.flatMap((operation) => {
    const { _id: operationId, tenantId, lifecycle } = operation;
    return lifecycle ? [{ operation, message: { operationId, tenantId, transition: lifecycle.transition } }] : [];
  });
  const accepted = await askAccepted(
    (...question) => messaging.request(...question),
    messages.map(({ message }) => message),
  ).catch((error: unknown) => void log.warn({ error: String(error) }, 'settlements could not be asked for'));
  if (!accepted) return null;
  const settled = new Set(accepted.filter((one) => one.settled).map((one) => one.operationId));
  let said = 0;
  for (const { operation, message } of messages) {
    if (!settled.has(operation._id)) continue;
    const { id, subject, type, body } = lifecycleEntry(operation, message.transition, clock.now());
    const published = await messaging.publish({ id, subject, type, body });
    if (published === 'acknowledged') said += 1;
    else log.debug({ operationId: operation._id }, 'the message was not acknowledged; the next round says it');
  }
  return said;
}
