/** The commands of `npm run ops` about plan migrations, decoded as strictly as a request body. */
import { parseArgs } from 'node:util';
import { migrationIdSchema, planIdSchema } from '@platform/contracts-operator';
import { ok, refused, type Result } from '@platform/kernel';
import type { ItemResolutionRequest } from '../workflows/migrations/resolve-migration';

export type MigrationCommand =
  | { readonly kind: 'list' }
  | { readonly kind: 'watch' | 'show'; readonly migrationId: string }
  | { readonly kind: 'quiescence'; readonly planId: string }
  | { readonly kind: 'show_item'; readonly itemId: string }
  | { readonly kind: 'resolve_item'; readonly request: ItemResolutionRequest; readonly yes: boolean }
  | {
      readonly kind: 'close';
      readonly migrationId: string;
      readonly executorStopped: string;
      readonly by: string;
      readonly yes: boolean;
    };

export const migrationUsage = `  migration list                                         plan migrations, newest first
  migration watch <id>                                   its progress, until it ends
  migration quiescence <plan>                            everything that may still write a plan: the proof before it is retired
  show migration <id> | show migration-item <id>         a job; one workspace of it: <migrationId>:<tenantId>
  resolve migration-item <migrationId>:<tenantId>        record the end of an investigation, with the options of resolve operation
  resolve migration <id> --executor-stopped … --by …     close a stopped job, once no workspace of it is unresolved:
                                                         those that were never begun become skipped`;

const options = {
  'executor-stopped': { type: 'string' },
  outcome: { type: 'string' },
  'provider-object': { type: 'string' },
  by: { type: 'string' },
  yes: { type: 'boolean' },
} as const;
const itemPattern = /^[A-Za-z0-9-]{8,64}:[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

/** Null when the words are not about migrations. A refusal says which one is wrong. */
export function readMigrationArguments(args: readonly string[]): Result<MigrationCommand, string> | null {
  if (args[0] !== 'migration' && args[1] !== 'migration' && args[1] !== 'migration-item') return null;
  let parsed;
  try {
    parsed = parseArgs({ args: [...args], options, allowPositionals: true, strict: true });
  } catch (error) {
    return refused(error instanceof Error ? error.message : String(error));
  }
  const { values, positionals } = parsed;
  const [first, second, id, ...more] = positionals;
  if (more.length > 0) return refused(`one id, not also ${more.join(' ')}`);
  if (first === 'migration' && second === 'list' && id === undefined) return ok({ kind: 'list' });
  if (second === 'migration-item') return readItemCommand(first, id, values);
  if (first === 'migration' && second === 'quiescence') {
    const planId = planIdSchema.safeParse(id);
    return planId.success
      ? ok({ kind: 'quiescence', planId: planId.data })
      : refused('quiescence takes the id of a plan');
  }
  const migrationId = migrationIdSchema.safeParse(id);
  if (!migrationId.success) return refused('a migration id has 8 to 64 letters, digits or hyphens');
  if (first === 'migration' && second === 'watch') return ok({ kind: 'watch', migrationId: migrationId.data });
  if (first === 'show' && second === 'migration') return ok({ kind: 'show', migrationId: migrationId.data });
  if (first === 'resolve' && second === 'migration')
    return ok({
      kind: 'close',
      migrationId: migrationId.data,
      executorStopped: values['executor-stopped'] ?? '',
      by: values.by ?? '',
      yes: values.yes ?? false,
    });
  return refused(`unknown command: ${positionals.slice(0, 2).join(' ')}`);
}

type Values = { readonly [Name in 'executor-stopped' | 'outcome' | 'provider-object' | 'by']?: string | undefined } & {
  readonly yes?: boolean | undefined;
};

function readItemCommand(
  command: string | undefined,
  id: string | undefined,
  values: Values,
): Result<MigrationCommand, string> {
  if (id === undefined || !itemPattern.test(id)) return refused('an item is named <migrationId>:<tenantId>');
  if (command === 'show') return ok({ kind: 'show_item', itemId: id });
  if (command !== 'resolve') return refused(`unknown command: ${command} migration-item`);
  const { outcome, by } = values;
  const object = values['provider-object'];
  if (outcome !== 'applied' && outcome !== 'not_applied') return refused('--outcome: applied or not_applied');
  if (object === undefined) return refused("--provider-object: the id of the provider's object, or none");
  const request = {
    itemId: id,
    outcome,
    executorStopped: values['executor-stopped'] ?? '',
    providerObject: object === 'none' ? null : object,
    by: by ?? '',
  } as const;
  return ok({ kind: 'resolve_item', request, yes: values.yes ?? false });
}
