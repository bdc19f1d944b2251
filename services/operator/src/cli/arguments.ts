/** Decodes the arguments of `npm run ops`, as strictly as a request body. Throws `Misuse`. */
import { Misuse } from '@platform/command-line';
import { operationIdSchema, operationStatusSchema, type OperationStatus } from '@platform/contracts-operator';
import {
  appliedProposalOf,
  outcomeProofsOf,
  type AppliedProposalRequest,
  type OutcomeProofs,
  type Unsigned,
} from '@platform/durable/investigation';
import { instanceGoneOf, type InstanceGone } from '@platform/durable/executors';
import { contradictionCommandOf, type ContradictionCommand } from './contradiction-commands';
import { deadLetterCommandOf, type DeadLetterCommand } from './dead-letter-commands';
import { financeCommandOf, type FinanceCommand } from './finance-commands';
import { importCommandOf, type ImportCommand } from './import-command';
import { migrationCommandOf, type MigrationCommand, type MigrationWords } from './migration-arguments';
import type { OpsRun } from './ops-values';
import { reconcileCommandOf, type ReconcileCommand } from './reconcile-commands';

export type OpsCommand =
  | { readonly kind: 'list'; readonly status: OperationStatus; readonly cursor?: string; readonly json: boolean }
  | { readonly kind: 'show'; readonly operationId: string; readonly json: boolean }
  | { readonly kind: 'evidence'; readonly operationId: string }
  | { readonly kind: 'resolve'; readonly request: Unsigned<OutcomeProofs>; readonly yes: boolean }
  | { readonly kind: 'apply'; readonly applied: AppliedProposalRequest; readonly yes: boolean }
  | { readonly kind: 'verify'; readonly file: string }
  | { readonly kind: 'deadletters'; readonly command: DeadLetterCommand }
  | { readonly kind: 'contradictions'; readonly command: ContradictionCommand }
  | { readonly kind: 'finance'; readonly command: FinanceCommand }
  | { readonly kind: 'reconcile'; readonly command: ReconcileCommand }
  | { readonly kind: 'import'; readonly command: ImportCommand }
  | { readonly kind: 'gone'; readonly request: InstanceGone }
  | { readonly kind: 'migration'; readonly command: MigrationCommand };

export function opsCommandOf({ command: name, words: [word = ''], values }: OpsRun): OpsCommand {
  switch (name) {
    case 'list':
      return {
        kind: 'list',
        status: statusOf(values.status),
        ...(values.cursor !== undefined && { cursor: values.cursor }),
        json: values.json,
      };
    case 'show operation':
      return { kind: 'show', operationId: operationIdOf(word), json: values.json };
    case 'evidence operation':
      return { kind: 'evidence', operationId: operationIdOf(word) };
    case 'resolve operation':
      return resolveOf(operationIdOf(word), values);
    case 'deadletters list':
    case 'deadletters show':
    case 'deadletters redrive':
    case 'deadletters close':
      return { kind: 'deadletters', command: deadLetterCommandOf(name, word, values) };
    case 'contradictions list':
    case 'contradictions close':
      return { kind: 'contradictions', command: contradictionCommandOf(name, word, values) };
    case 'finance-report':
    case 'verify-report':
    case 'signing-key':
      return { kind: 'finance', command: financeCommandOf(name, word, values) };
    case 'reconcile':
    case 'differences list':
    case 'differences show':
    case 'differences close':
      return { kind: 'reconcile', command: reconcileCommandOf(name, word, values) };
    case 'import workspaces':
      return { kind: 'import', command: importCommandOf(word, values) };
    case 'instance gone':
      return { kind: 'gone', request: instanceGoneOf('operator', word, values) };
    case 'verify case':
      return { kind: 'verify', file: word };
    default:
      return { kind: 'migration', command: migrationCommandOf(name as MigrationWords, word, values) };
  }
}

function resolveOf(id: string, values: OpsRun['values']): OpsCommand {
  const { yes } = values;
  const applied = appliedProposalOf(id, values);
  return applied ? { kind: 'apply', applied, yes } : { kind: 'resolve', request: outcomeProofsOf(id, values), yes };
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
