/** A case in lines for people: the two questions first, then the evidence for the answers. */
import { columns } from '@platform/command-line';
import type { Case } from '@platform/workspace-platform/gateway';
import { money } from './lists';

const words = (text: string): string => text.replaceAll('_', ' ');

/** A part with a heading; empty when it has no lines. */
export const part = (title: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : ['', title, ...lines.flatMap((line) => line.split('\n')).map((line) => `  ${line}`)];

export function describeCase(found: Case): string {
  const { kind, id, tenantId, title, status, open, verdict, intent, sent, executors, deliveries } = found;
  const calls = sent.map((call) => [
    ...[call.sentAt ?? '', `attempt ${call.attempt}`, call.step],
    call.skipped === undefined ? (call.outcome ?? 'no answer recorded') : `skipped: ${call.skipped}`,
    ...[
      call.httpStatus === undefined ? '' : `HTTP ${call.httpStatus}`,
      call.requestId ?? '',
      call.idempotencyKey ?? '',
    ],
  ]);
  const objects = found.provider.objects.map((object) => [object.kind, object.id, object.step ?? '']);
  const runners = executors.map((each) => [
    ...[`attempt ${each.attempt}`, `${each.service} ${each.instance}`, words(each.state)],
    ...[each.outcome ?? 'unfinished', each.lastHeardOf === undefined ? '' : `last heard of ${each.lastHeardOf}`],
  ]);
  return [
    `${words(kind)} ${id}${tenantId === null ? '' : ` of ${tenantId}`}: ${title}, ${words(status)}${open ? '' : ', closed'}`,
    ...(found.money ? [`At risk: ${money(found.money)}`] : []),
    '',
    `Did money move?            ${words(verdict.money.answer)}: ${verdict.money.because}`,
    `May anything still run?    ${words(verdict.running.answer)}: ${verdict.running.because}`,
    `What is to be done?        ${words(found.next.advice)}: ${found.next.text}`,
    ...part('Meant', asTable(intent.map(({ label, value }) => [label, value]))),
    ...part('Sent', asTable(calls)),
    ...part('At the provider', asTable(objects)),
    ...part('Ran in', asTable(runners)),
    ...part('Deliveries', asTable(deliveries.map((each) => [each.consumer, words(each.status), each.lastError ?? '']))),
    ...part('Attempts', asTable(deliveries.flatMap(attemptRows))),
    ...part('Not proven', found.notProven),
    ...part(
      'Commands',
      found.commands.map(({ purpose, line }) => `${purpose}:\n  ${line}`),
    ),
  ].join('\n');
}

/** Each attempt of a delivery: its time, its message id, and the answer. */
function attemptRows({ consumer, attempts = [] }: Case['deliveries'][number]): string[][] {
  return attempts.map(({ number, startedAt, messageId, failures, answer }) => [
    ...[consumer, `attempt ${number}`, startedAt, messageId],
    answer === undefined ? 'nothing has come back' : `${words(answer.kind)} ${answer.at}`,
    ...[failures > 1 ? `${failures} failures` : '', answer?.error ?? ''],
  ]);
}

export const asTable = (rows: readonly (readonly string[])[]): string[] => (rows.length === 0 ? [] : [columns(rows)]);
