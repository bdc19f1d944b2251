/** What a command of `npm run ops` asks for, decoded as strictly as a request body. Throws `Misuse`. */
import { Misuse, type CommandRun } from '@platform/command-line';
import { operationIdSchema, operationStatusSchema, type OperationStatus } from '@platform/contracts-operator';
import type { ResolutionRequest } from '../operations/workflows/resolve-operation';
import { migrationCommandOf, type MigrationCommand } from './migration-arguments';
import type command from './ops.command.cjs';

type Run = CommandRun<typeof command>;
export type OpsValues = Run['values'];

export type OpsCommand =
  | { readonly kind: 'list'; readonly status: OperationStatus; readonly cursor?: string }
  | { readonly kind: 'show' | 'evidence'; readonly operationId: string }
  | { readonly kind: 'resolve'; readonly request: ResolutionRequest; readonly yes: boolean }
  | { readonly kind: 'verify'; readonly file: string }
  | { readonly kind: 'migrate'; readonly apply: boolean }
  | { readonly kind: 'audit'; readonly expect: readonly string[] }
  | { readonly kind: 'migration'; readonly command: MigrationCommand };

export function opsCommandOf({ command: name, words: [word = ''], values }: Run): OpsCommand {
  switch (name) {
    case 'list':
      return {
        kind: 'list',
        status: statusOf(values.status),
        ...(values.cursor !== undefined && { cursor: values.cursor }),
      };
    case 'show operation':
      return { kind: 'show', operationId: operationIdOf(word) };
    case 'evidence operation':
      return { kind: 'evidence', operationId: operationIdOf(word) };
    case 'resolve operation':
      return { kind: 'resolve', request: { operationId: operationIdOf(word), ...proofsOf(values) }, yes: values.yes };
    case 'verify case':
      return { kind: 'verify', file: word };
    case 'migrate':
      return { kind: 'migrate', apply: values.apply };
    case 'audit verify':
      return { kind: 'audit', expect: values.expect };
    default:
      return { kind: 'migration', command: migrationCommandOf(name, word, values) };
  }
}

/** The proofs behind a resolution; whether they suffice is judged with the record. */
export function proofsOf({ outcome, by, ...proofs }: OpsValues): Omit<ResolutionRequest, 'operationId'> {
  const object = proofs['provider-object'];
  if (outcome === undefined) throw new Misuse('--outcome is missing');
  if (object === undefined) throw new Misuse("--provider-object is missing: the id of the provider's object, or none");
  return {
    outcome,
    executorStopped: proofs['executor-stopped'] ?? '',
    providerObject: object === 'none' ? null : object,
    by: by ?? '',
  };
}

function statusOf(text: string): OperationStatus {
  const status = operationStatusSchema.safeParse(text);
  if (!status.success) throw new Misuse(`--status is one of ${operationStatusSchema.options.join(', ')}, not ${text}`);
  return status.data;
}

function operationIdOf(text: string): string {
  const id = operationIdSchema.safeParse(text);
  if (!id.success) throw new Misuse(`an operation id has 8 to 64 letters, digits or hyphens, unlike ${text}`);
  return id.data;
}
