/** The command line for events, decoded as strictly as a request body. */
import { parseArgs } from 'node:util';
import { ok, refused, type Result } from '@platform/kernel';
import { webhookResultSchema, type WebhookResult } from '@platform/contracts-operator';
import type { ResolutionRequest } from '../workflows/resolve-event';

export type OpsCommand =
  | { readonly kind: 'help' }
  | { readonly kind: 'list'; readonly result: WebhookResult; readonly cursor?: string }
  | { readonly kind: 'show'; readonly eventId: string }
  | { readonly kind: 'resolve'; readonly request: ResolutionRequest; readonly yes: boolean };

export const usage = `npm run ops -- <command>, for events of the payment provider

  list webhook-events [--result reconciliation_required] [--cursor C]   oldest first
  show webhook-event <id>                                               one record
  resolve webhook-event <id>                                            record the end of an investigation
      --executor-stopped "<how you know>"                               first proof: the handler is stopped or quiescent
      --outcome applied|not_applied                                     second proof: what the event's effect is
      --by <e-mail>                                                     who answers for it
      [--yes]                                                           do not ask (for scripts)

It reads and writes the receiver's database named by MONGODB_URL and MONGODB_DATABASE; without them, the local
platform's. It performs no effect: an event is never handled again.`;

const options = {
  result: { type: 'string' },
  cursor: { type: 'string' },
  'executor-stopped': { type: 'string' },
  outcome: { type: 'string' },
  by: { type: 'string' },
  yes: { type: 'boolean' },
  help: { type: 'boolean' },
} as const;

/** Decodes the arguments; a refusal says which one is wrong. */
export function readArguments(args: readonly string[]): Result<OpsCommand, string> {
  let parsed;
  try {
    parsed = parseArgs({ args: [...args], options, allowPositionals: true, strict: true });
  } catch (error) {
    return refused(error instanceof Error ? error.message : String(error));
  }
  const { values, positionals } = parsed;
  const [command, kind, eventId, ...more] = positionals;
  if (values.help || command === undefined) return ok({ kind: 'help' });
  if (command === 'list') {
    const result = webhookResultSchema.safeParse(values.result ?? 'reconciliation_required');
    if (!result.success) return refused(`--result: one of ${webhookResultSchema.options.join(', ')}`);
    return kind === 'webhook-events' && eventId === undefined
      ? ok({ kind: 'list', result: result.data, ...(values.cursor !== undefined && { cursor: values.cursor }) })
      : refused('list takes: webhook-events');
  }
  if (command !== 'show' && command !== 'resolve') return refused(`unknown command: ${command}`);
  if (kind !== 'webhook-event') return refused(`${command} takes: webhook-event <id>`);
  if (eventId === undefined || !/^\w{1,255}$/.test(eventId) || more.length > 0)
    return refused(`${command} webhook-event takes exactly one event id`);
  if (command === 'show') return ok({ kind: 'show', eventId });
  const { outcome } = values;
  if (outcome !== 'applied' && outcome !== 'not_applied') return refused('--outcome: applied or not_applied');
  return ok({
    kind: 'resolve',
    request: { eventId, outcome, executorStopped: values['executor-stopped'] ?? '', by: values.by ?? '' },
    yes: values.yes ?? false,
  });
}
