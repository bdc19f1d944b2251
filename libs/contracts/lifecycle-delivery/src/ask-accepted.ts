/**
 * Questions of the senders of lifecycle messages to lifecycle-delivery, of bounded size: a sender need not keep a
 * message that is recorded there, and sends a settled message again when its settlement has not arrived.
 */
import { lifecycleMessageSchema, lifecycleSubjects } from './messages';
import { acceptedMessagesSchema, lifecycleRequests, type AcceptedMessages, type InspectAccepted } from './requests';
import { lifecycleLimits, lifecycleTransitions } from './vocabulary';

type AskDelivery = (
  subject: string,
  body: Readonly<Record<string, unknown>>,
  timeoutMs: number,
) => Promise<
  { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly error: { readonly message: string } }
>;

/** The part of an outbox row that is read here. Browser pages also load these contracts, without the kernel. */
interface Entry {
  readonly id: string;
  readonly subject: string;
  readonly body: unknown;
}

const answerWithinMs = 5_000;

/** The messages that lifecycle-delivery has on record. Throws when it does not answer. */
export async function askAccepted(
  ask: AskDelivery,
  messages: InspectAccepted['messages'],
): Promise<AcceptedMessages['accepted']> {
  const accepted: AcceptedMessages['accepted'] = [];
  const { messagesPerQuestion } = lifecycleLimits;
  for (let start = 0; start < messages.length; start += messagesPerQuestion) {
    const some = messages.slice(start, start + messagesPerQuestion);
    const answer = await ask(lifecycleRequests.accepted, { messages: some }, answerWithinMs);
    if (!answer.ok) throw new Error(`lifecycle-delivery gave no answer: ${answer.error.message}`);
    accepted.push(...acceptedMessagesSchema.parse(answer.value).accepted);
  }
  return accepted;
}

const subjects = new Set(lifecycleTransitions.map(lifecycleSubjects.message));

/** For an outbox relay: the ids of the entries that are lifecycle messages recorded by lifecycle-delivery. */
export function receivedByDelivery(ask: AskDelivery) {
  return async (entries: readonly Entry[]): Promise<ReadonlySet<string>> => {
    const messages = entries.flatMap(({ id, subject, body }) => {
      if (!subjects.has(subject)) return [];
      const { operationId, tenantId, transition } = lifecycleMessageSchema.parse(body);
      return [{ id, message: { operationId, tenantId, transition } }];
    });
    const accepted = await askAccepted(
      ask,
      messages.map(({ message }) => message),
    );
    const operationIds = new Set(accepted.map(({ operationId }) => operationId));
    return new Set(messages.filter(({ message }) => operationIds.has(message.operationId)).map(({ id }) => id));
  };
}
