/**
 * The case of a dead letter: which reader refused which message and why, its headers and its body without secrets, and
 * how to end it.
 */
import type { CaseView } from '@platform/contracts-operator';
import { opsLine } from '@platform/kernel';
import { letterTitle, type DeadLetter, type StoredLetter } from '../../dead-letters/domain/dead-letter';
import { id, inOrder, instant, known, text } from './case-parts';

export interface DeadLetterMaterial {
  readonly letter: DeadLetter;
  readonly message: StoredLetter | null | 'unavailable';
}

/** Length that suffices to recognise a message; the off-line command shows the whole body. */
const shownCharacters = 2_000;

export function caseOfDeadLetter(
  { letter, message }: DeadLetterMaterial,
  { collectedAt, redact }: { readonly collectedAt: string; readonly redact: (value: unknown) => unknown },
): CaseView {
  const open = letter.status === 'open';
  return {
    kind: 'dead_letter',
    id: letter._id,
    tenantId: null,
    title: letterTitle(letter),
    status: letter.status,
    open,
    since: letter.refusedAt.toISOString(),
    collectedAt,
    money: null,
    verdict: {
      money: {
        answer: 'not_known',
        because:
          'A message that no consumer took moves no money by itself; what it announces is in the record of its sender.',
      },
      running: {
        answer: 'no',
        because: `${letter.stream}/${letter.durable} refused it for good; nothing delivers it again.`,
      },
    },
    intent: intentOf(letter, message, redact),
    sent: [],
    provider: { source: 'not_applicable', objects: [] },
    executors: [],
    deliveries: [],
    timeline: inOrder([
      { at: letter.refusedAt.toISOString(), what: 'Refused for good', detail: letter.reason, tone: 'bad' },
      ...(letter.status === 'open'
        ? []
        : [
            {
              at: letter.end.at.toISOString(),
              what: `${letter.status === 'redriven' ? 'Re-driven' : 'Closed'} by ${letter.end.by}`,
              detail: letter.end.reason,
              tone: 'neutral' as const,
            },
          ]),
    ]),
    notProven: open ? ['That what it announces reached its receiver in another way.'] : [],
    next: open
      ? {
          advice: 'investigate',
          text: 'Find out why it was refused. Fix the cause and re-drive it under its own id, or close it with the reason.',
        }
      : { advice: 'nothing', text: letter.status === 'redriven' ? 'It was published again.' : 'It was closed.' },
    commands: commandsOf(letter),
  };
}

function intentOf(
  letter: DeadLetter,
  message: DeadLetterMaterial['message'],
  redact: (value: unknown) => unknown,
): CaseView['intent'] {
  const facts = [
    text('refused by', `${letter.stream}/${letter.durable}`),
    text('reason', letter.reason),
    ...(letter.subject === '' ? [] : [id('subject', letter.subject)]),
    ...known(id, 'message', letter.messageId),
    ...known(text, 'type', letter.messageType),
    instant('refused at', letter.refusedAt.toISOString()),
  ];
  if (message === 'unavailable') return [...facts, text('message', 'the broker does not answer now')];
  if (!message) return [...facts, text('message', 'the broker does not keep it any more')];
  const headers = Object.entries(redact(message.headers) as Readonly<Record<string, unknown>>)
    .filter(([name]) => !name.startsWith('dead-letter-'))
    .map(([name, value]) => text(`header ${name}`, String(value)));
  return [...facts, ...headers, { label: 'body', value: bodyOf(message.text, redact), form: 'code' }];
}

function bodyOf(body: string, redact: (value: unknown) => unknown): string {
  try {
    return JSON.stringify(redact(JSON.parse(body))).slice(0, shownCharacters);
  } catch {
    return String(redact(body)).slice(0, shownCharacters);
  }
}

function commandsOf({ sequence, status }: DeadLetter): CaseView['commands'] {
  const show = { purpose: 'Read the letter', line: opsLine(`deadletters show ${sequence}`) };
  if (status === 'closed') return [show];
  return [
    show,
    {
      purpose: 'Publish it again under its own id',
      line: opsLine(`deadletters redrive ${sequence} --token-file <file with your token>`),
    },
    {
      purpose: 'Close it',
      line: opsLine(
        `deadletters close ${sequence} --reason "<why nothing is to be done>" --token-file <file with your token>`,
      ),
    },
  ];
}
