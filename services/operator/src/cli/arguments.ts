/** The command line of `npm run ops`, decoded as strictly as a request body. */
import { parseArgs } from 'node:util';
import { ok, refused, type Result } from '@platform/kernel';
import { operationIdSchema, operationStatusSchema, type OperationStatus } from '@platform/contracts-operator';
import { migrationUsage } from './migration-arguments';
import type { ResolutionRequest } from '../workflows/resolve-operation';

export type OpsCommand =
  | { readonly kind: 'help' }
  | { readonly kind: 'list'; readonly status: OperationStatus; readonly cursor?: string }
  | { readonly kind: 'show' | 'evidence'; readonly operationId: string }
  | { readonly kind: 'verify'; readonly file: string }
  | { readonly kind: 'resolve'; readonly request: ResolutionRequest; readonly yes: boolean };

export const usage = `npm run ops -- <command>

  list [--status reconciliation_required] [--cursor C]   the work queue, oldest first
  show operation <id>                                    one record, its provider calls and executors
  evidence operation <id>                                the case file as JSON, with the provider's records
  resolve operation <id>                                 record the end of an investigation
      --executor-stopped "<how you know>"                first proof
      --outcome applied|not_applied                      second proof, with
      --provider-object <id>|none                        the provider's own record
      --by <e-mail>                                      who answers for it
      [--yes]                                            do not ask (for scripts)
${migrationUsage}
  migrate [--apply]                                      bring the documents of all services forward; rows without a revision
  audit verify [--expect <trail>=<hash>]…                are the trails of who asked and who resolved whole?
  verify case <file>                                     is this exported case untouched? (CASE_SIGNING_KEY)

It reads and writes the operator's database named by MONGODB_URL and MONGODB_DATABASE; without them, the local
platform's. It performs no effect. The case file also asks the provider (STRIPE_SECRET_KEY, STRIPE_API_BASE) and the
broker (NATS_URL), and says which of them did not answer.`;

const options = {
  status: { type: 'string' },
  cursor: { type: 'string' },
  'executor-stopped': { type: 'string' },
  outcome: { type: 'string' },
  'provider-object': { type: 'string' },
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
  const [command, kind, id, ...more] = positionals;
  if (values.help || command === undefined) return ok({ kind: 'help' });
  if (command === 'list') {
    const status = operationStatusSchema.safeParse(values.status ?? 'reconciliation_required');
    if (!status.success) return refused(`--status: one of ${operationStatusSchema.options.join(', ')}`);
    return kind === undefined
      ? ok({ kind: 'list', status: status.data, ...(values.cursor !== undefined && { cursor: values.cursor }) })
      : refused(`list takes no further word: ${kind}`);
  }
  if (command === 'verify')
    return kind === 'case' && id !== undefined && more.length === 0
      ? ok({ kind: 'verify', file: id })
      : refused('verify takes: case <file>');
  if (command !== 'show' && command !== 'evidence' && command !== 'resolve')
    return refused(`unknown command: ${command}`);
  if (kind !== 'operation') return refused(`${command} takes: operation <id>`);
  const operationId = operationIdSchema.safeParse(id);
  if (!operationId.success || more.length > 0)
    return refused(`${command} operation takes exactly one id of 8 to 64 letters, digits or hyphens`);
  if (command !== 'resolve') return ok({ kind: command, operationId: operationId.data });
  const { outcome, by } = values;
  const object = values['provider-object'];
  if (outcome !== 'applied' && outcome !== 'not_applied') return refused('--outcome: applied or not_applied');
  if (object === undefined) return refused("--provider-object: the id of the provider's object, or none");
  const request = {
    operationId: operationId.data,
    outcome,
    executorStopped: values['executor-stopped'] ?? '',
    providerObject: object === 'none' ? null : object,
    by: by ?? '',
  } as const;
  return ok({ kind: 'resolve', request, yes: values.yes ?? false });
}
