/**
 * `npm run ops -- deadletters …`: reads dead letters, publishes one again under its own id, or closes one with a
 * reason. Off-line.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { columns, exitCodes, Misuse } from '@platform/command-line';
import { openOffLineRequester, type OffLineRequester } from '@platform/durable/executors';
import type { Claimed, OfflineWork, Terminal } from '@platform/durable/investigation';
import { opsLine } from '@platform/kernel';
import type { DeadLetter } from '../dead-letters/domain/dead-letter';
import { deadLettersCollection } from '../dead-letters/store/dead-letters';
import { closeLetter, redriveLetter, type EndLetterPorts } from '../dead-letters/workflows/end-letter';
import { readLetter } from '../dead-letters/workflows/read-letter';
import { shownOf } from './shown-of';

export type DeadLetterCommand =
  | { readonly kind: 'list'; readonly json: boolean }
  | { readonly kind: 'show'; readonly letter: string }
  | { readonly kind: 'redrive'; readonly letter: string; readonly by: Claimed; readonly yes: boolean }
  | {
      readonly kind: 'close';
      readonly letter: string;
      readonly by: Claimed;
      readonly reason: string;
      readonly yes: boolean;
    };

interface Values {
  readonly by?: string | undefined;
  readonly 'token-file'?: string | undefined;
  readonly reason?: string | undefined;
  readonly yes: boolean;
  readonly json: boolean;
}

const listed = 100;

/** Decodes the words after `deadletters`. Throws `Misuse`. */
export function deadLetterCommandOf(
  name: string,
  letter: string,
  { by: email, 'token-file': tokenFile, reason = '', yes, json }: Values,
): DeadLetterCommand {
  if (name === 'deadletters list') return { kind: 'list', json };
  if (!/^\d+(:\d+)?$/.test(letter))
    throw new Misuse(`a dead letter is named by its place in the stream, unlike ${letter}`);
  if (name === 'deadletters show') return { kind: 'show', letter };
  const by = { email, tokenFile };
  if (name === 'deadletters redrive') return { kind: 'redrive', letter, by, yes };
  if (reason.trim() === '') throw new Misuse('--reason says why nothing is to be done');
  return { kind: 'close', letter, by, reason: reason.trim(), yes };
}

/** Returns the exit code. Throws what the store throws, and `Misuse` for a person without a valid token. */
export async function runDeadLetterCommand(asked: DeadLetterCommand, work: OfflineWork): Promise<number> {
  const letters = work.store.collection(deadLettersCollection);
  if (asked.kind === 'list') {
    const found = await letters.find({ status: 'open' }, { sort: { createdAt: 1, _id: 1 }, limit: listed });
    return list(found, await letters.count({ status: 'open' }), asked.json, work.terminal);
  }
  const by = asked.kind === 'show' ? '' : (await work.people.personOf(asked.by, '--token-file')).email;
  const messaging = await openOffLineRequester();
  try {
    const ports = { letters, messaging, clock: work.clock, retryPolicy: { tries: 5, pause: () => delay(500) } };
    return await onLetter(asked, by, ports, work.terminal);
  } finally {
    await messaging.close();
  }
}

function list(letters: readonly DeadLetter[], total: number, json: boolean, { print }: Terminal): number {
  if (json) print(JSON.stringify({ letters: letters.map(({ outbox: _outbox, ...letter }) => letter), total }, null, 2));
  else if (letters.length === 0) print('No dead letter is open.');
  else
    print(
      columns([
        ['letter', 'refused at', 'by', 'subject', 'reason'],
        ...letters.map(({ sequence, refusedAt, stream, durable, subject, reason }) => [
          String(sequence),
          refusedAt.toISOString(),
          `${stream}/${durable}`,
          subject,
          reason,
        ]),
      ]) + shownOf(letters.length, total),
    );
  return exitCodes.done;
}

async function onLetter(
  asked: Exclude<DeadLetterCommand, { kind: 'list' }>,
  by: string,
  ports: EndLetterPorts & { readonly messaging: OffLineRequester },
  { print, complain, confirmed }: Terminal,
): Promise<number> {
  const read = await readLetter(ports, asked.letter);
  if (!read) return complain('There is no such dead letter.');
  const { letter, message } = read;
  print(JSON.stringify({ ...letter, outbox: undefined, message }, null, 2));
  const { problem } = ports.messaging;
  if (problem !== undefined && asked.kind !== 'close') complain(problem);
  if (asked.kind === 'show') return exitCodes.done;
  if (problem !== undefined && asked.kind === 'redrive') return complain('Nothing was done.');
  if (!asked.yes && !(await confirmed(String(letter.sequence), 'place in the stream')))
    return complain('Nothing was done.');
  if (asked.kind === 'close') {
    const closed = await closeLetter(ports, asked.letter, { by, reason: asked.reason });
    if (!closed.ok) return complain(closed.error);
    print(`Closed. ${letter._id} is ${closed.value.status}.`);
    return exitCodes.done;
  }
  const redriven = await redriveLetter(ports, asked.letter, by);
  if (!redriven.ok) return complain(redriven.error);
  if (redriven.value.published === 'unknown')
    return complain(
      `It is marked, and the broker did not acknowledge it. The same again is harmless: ${opsLine(`deadletters redrive ${letter.sequence} --token-file <file with your token>`)}`,
    );
  print(
    `Published to ${letter.subject} under its own id ${letter.messageId}; a repeat within two minutes is recognised by the broker and not delivered.`,
  );
  return exitCodes.done;
}
