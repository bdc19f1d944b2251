/** The command line of `npm run ops` for provisioning attempts, decoded as strictly as a request body. */
import { parseArgs } from 'node:util';
import { ok, refused, type Result } from '@platform/kernel';
import type { ResolutionRequest } from '../workflows/resolve-attempt';

export type OpsCommand =
  | { readonly kind: 'help' }
  | { readonly kind: 'list' }
  | { readonly kind: 'show'; readonly attemptId: string }
  | { readonly kind: 'resolve'; readonly request: ResolutionRequest; readonly yes: boolean };

export const usage = `npm run ops -- <command>

  list provisioning-attempts                             the first 100 unresolved ones, oldest first
  show provisioning-attempt <tenant id>                  one record, its calls and why its reservations are held
  resolve provisioning-attempt <tenant id>               record the end of an investigation
      --executor-stopped "<how you know>"                first proof
      --outcome applied|not_applied                      second proof, with
      --provider-object <id>|none                        the provider's own record
      --by <e-mail>                                      who answers for it
      [--yes]                                            do not ask (for scripts)

It reads and writes the database of provisioning named by MONGODB_URL and MONGODB_DATABASE; without them, the local
platform's. It sends nothing. Resolved as applied, the creation is committed: its messages leave with the next sweep.`;

const options = {
  'executor-stopped': { type: 'string' },
  outcome: { type: 'string' },
  'provider-object': { type: 'string' },
  by: { type: 'string' },
  yes: { type: 'boolean' },
  help: { type: 'boolean' },
} as const;

const attemptIdSchema = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

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
  if (command === 'list')
    return kind === 'provisioning-attempts' && id === undefined
      ? ok({ kind: 'list' })
      : refused('list takes: provisioning-attempts');
  if (command !== 'show' && command !== 'resolve') return refused(`unknown command: ${command}`);
  if (kind !== 'provisioning-attempt' || id === undefined || !attemptIdSchema.test(id) || more.length > 0)
    return refused(`${command} takes: provisioning-attempt <tenant id>`);
  if (command === 'show') return ok({ kind: 'show', attemptId: id });
  const { outcome, by } = values;
  const object = values['provider-object'];
  if (outcome !== 'applied' && outcome !== 'not_applied') return refused('--outcome: applied or not_applied');
  if (object === undefined) return refused("--provider-object: the id of the provider's object, or none");
  const request = {
    attemptId: id,
    outcome,
    executorStopped: values['executor-stopped'] ?? '',
    providerObject: object === 'none' ? null : object,
    by: by ?? '',
  } as const;
  return ok({ kind: 'resolve', request, yes: values.yes ?? false });
}
