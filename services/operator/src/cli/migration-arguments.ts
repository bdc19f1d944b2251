/** Decodes the arguments of the commands about plan migrations, as strictly as a request body. Throws `Misuse`. */
import { Misuse, type CommandRun } from '@platform/command-line';
import { migrationIdSchema, planIdSchema } from '@platform/contracts-operator';
import {
  appliedProposalOf,
  outcomeProofsOf,
  proofsOf,
  type AppliedProposalRequest,
  type OutcomeProofs,
  type Proofs,
  type Unsigned,
} from '@platform/durable/investigation';
import type { OpsValues } from './ops-values';
import type command from './ops.command.cjs';

export type MigrationCommand =
  | { readonly kind: 'list'; readonly json: boolean }
  | { readonly kind: 'watch'; readonly migrationId: string }
  | { readonly kind: 'show'; readonly migrationId: string; readonly json: boolean }
  | { readonly kind: 'quiescence'; readonly planId: string }
  | { readonly kind: 'show_item'; readonly itemId: string; readonly json: boolean }
  | { readonly kind: 'resolve_item'; readonly request: Unsigned<OutcomeProofs>; readonly yes: boolean }
  | { readonly kind: 'apply_item'; readonly applied: AppliedProposalRequest; readonly yes: boolean }
  | { readonly kind: 'close'; readonly request: Unsigned<Proofs>; readonly yes: boolean };

export type MigrationWords = Extract<CommandRun<typeof command>['command'], `${string}migration${string}`>;
const itemPattern = /^[A-Za-z0-9-]{8,64}:[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

export function migrationCommandOf(name: MigrationWords, word: string, values: OpsValues): MigrationCommand {
  switch (name) {
    case 'migration list':
      return { kind: 'list', json: values.json };
    case 'migration watch':
      return { kind: 'watch', migrationId: migrationIdOf(word) };
    case 'migration quiescence':
      return { kind: 'quiescence', planId: planIdOf(word) };
    case 'show migration':
      return { kind: 'show', migrationId: migrationIdOf(word), json: values.json };
    case 'show migration-item':
      return { kind: 'show_item', itemId: itemIdOf(word), json: values.json };
    case 'resolve migration-item': {
      const applied = appliedProposalOf(itemIdOf(word), values);
      return applied
        ? { kind: 'apply_item', applied, yes: values.yes }
        : { kind: 'resolve_item', request: outcomeProofsOf(itemIdOf(word), values), yes: values.yes };
    }
    case 'resolve migration':
      return { kind: 'close', request: proofsOf(migrationIdOf(word), values), yes: values.yes };
  }
}

function migrationIdOf(text: string): string {
  const id = migrationIdSchema.safeParse(text);
  if (!id.success) throw new Misuse(`a migration id has 8 to 64 letters, digits or hyphens, unlike ${text}`);
  return id.data;
}

function planIdOf(text: string): string {
  const id = planIdSchema.safeParse(text);
  if (!id.success) throw new Misuse(`${text} is no id of a plan`);
  return id.data;
}

function itemIdOf(text: string): string {
  if (!itemPattern.test(text)) throw new Misuse(`an item is named <migrationId>:<tenantId>, unlike ${text}`);
  return text;
}
