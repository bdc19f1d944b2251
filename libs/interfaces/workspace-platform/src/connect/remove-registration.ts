/**
 * Removes the registration of a consumer or listener: repeats its request until the removal is confirmed, or the
 * connection is closed.
 */
import { backoffMs, type Log } from '@platform/kernel';
import type { Messaging } from '@platform/messaging';
import type { z } from 'zod';
import { requestTimeoutMs, type Wait } from './keep-registered';

const firstPauseMs = 250;
const longestPauseMs = 10_000;

export interface RemovalPorts {
  readonly messaging: Pick<Messaging, 'request'>;
  readonly log: Log;
  readonly registeredBy: string;
  readonly wait: Wait;
  readonly closing: AbortSignal;
}

/** Throws when the connection is closed before the removal is confirmed. */
export async function removeRegistration(
  ports: RemovalPorts,
  subject: string,
  name: string,
  answerSchema: z.ZodType,
): Promise<void> {
  const { wait, closing } = ports;
  for (let tries = 1; !(await removeOnce(ports, subject, name, answerSchema)); tries += 1) {
    await wait(backoffMs(tries, firstPauseMs, longestPauseMs), closing);
    if (closing.aborted) throw new Error(`the removal of ${name} was not confirmed before the connection was closed`);
  }
}

async function removeOnce(
  { messaging, log, registeredBy }: RemovalPorts,
  subject: string,
  name: string,
  answerSchema: z.ZodType,
): Promise<boolean> {
  const answer = await messaging.request(subject, { name, registeredBy }, requestTimeoutMs);
  if (answer.ok && answerSchema.safeParse(answer.value).success) return true;
  log.warn(
    { name, reason: answer.ok ? 'unreadable answer' : answer.error.message },
    'a removal was not answered; asking again',
  );
  return false;
}
