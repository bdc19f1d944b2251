/** Decodes the arguments of the commands about events, as strictly as a request body. Throws `Misuse`. */
import { Misuse, type CommandRun } from '@platform/command-line';
import { webhookResultSchema, type WebhookResult } from '@platform/contracts-operator';
import {
  appliedProposalOf,
  outcomeAloneOf,
  type AppliedProposalRequest,
  type Unsigned,
} from '@platform/durable/investigation';
import type { EventProofs } from '../workflows/read-event-resolution';
import type command from './ops.command.cjs';
import { setupRequestOf, type SetupRequest } from './setup-command';

export type OpsCommand =
  | { readonly kind: 'list'; readonly result: WebhookResult; readonly cursor?: string; readonly json: boolean }
  | { readonly kind: 'show'; readonly eventId: string }
  | { readonly kind: 'setup'; readonly request: SetupRequest }
  | { readonly kind: 'apply'; readonly applied: AppliedProposalRequest; readonly yes: boolean }
  | { readonly kind: 'resolve'; readonly request: Unsigned<EventProofs>; readonly yes: boolean };

export function opsCommandOf({ command: name, words: [word = ''], values }: CommandRun<typeof command>): OpsCommand {
  switch (name) {
    case 'show webhook-event':
      return { kind: 'show', eventId: eventIdOf(word) };
    case 'setup stripe':
      return { kind: 'setup', request: setupRequestOf(values) };
    case 'resolve webhook-event': {
      const { yes } = values;
      const applied = appliedProposalOf(eventIdOf(word), values);
      return applied
        ? { kind: 'apply', applied, yes }
        : { kind: 'resolve', request: outcomeAloneOf(eventIdOf(word), values), yes };
    }
    default:
      return {
        kind: 'list',
        result: resultOf(values.result),
        ...(values.cursor !== undefined && { cursor: values.cursor }),
        json: values.json,
      };
  }
}

function resultOf(text: string): WebhookResult {
  const result = webhookResultSchema.safeParse(text);
  if (!result.success) throw new Misuse(`--result is one of ${webhookResultSchema.options.join(', ')}, not ${text}`);
  return result.data;
}

function eventIdOf(text: string): string {
  if (!/^\w{1,255}$/.test(text)) throw new Misuse(`${text} is no id of an event`);
  return text;
}
