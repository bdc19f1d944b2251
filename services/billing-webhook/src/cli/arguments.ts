/** What a command about events asks for, decoded as strictly as a request body. Throws `Misuse`. */
import { Misuse, type CommandRun } from '@platform/command-line';
import { webhookResultSchema, type WebhookResult } from '@platform/contracts-operator';
import type { ResolutionRequest } from '../workflows/resolve-event';
import type command from './ops.command.cjs';

export type OpsCommand =
  | { readonly kind: 'list'; readonly result: WebhookResult; readonly cursor?: string }
  | { readonly kind: 'show'; readonly eventId: string }
  | { readonly kind: 'resolve'; readonly request: ResolutionRequest; readonly yes: boolean }
  | { readonly kind: 'migrate'; readonly apply: boolean }
  | { readonly kind: 'audit'; readonly expect: readonly string[] };

export function opsCommandOf({ command: name, words: [word = ''], values }: CommandRun<typeof command>): OpsCommand {
  switch (name) {
    case 'list webhook-events':
      return {
        kind: 'list',
        result: resultOf(values.result),
        ...(values.cursor !== undefined && { cursor: values.cursor }),
      };
    case 'show webhook-event':
      return { kind: 'show', eventId: eventIdOf(word) };
    case 'resolve webhook-event': {
      const { outcome, by = '', yes, 'executor-stopped': executorStopped = '' } = values;
      const eventId = eventIdOf(word);
      if (outcome === undefined) throw new Misuse('--outcome is missing');
      return { kind: 'resolve', request: { eventId, outcome, executorStopped, by }, yes };
    }
    case 'migrate':
      return { kind: 'migrate', apply: values.apply };
    case 'audit verify':
      return { kind: 'audit', expect: values.expect };
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
