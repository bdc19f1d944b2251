/**
 * Decodes the arguments of the commands about provisioning attempts, as strictly as a request body. Throws `Misuse`.
 */
import { Misuse, type CommandRun } from '@platform/command-line';
import { instanceGoneOf, type InstanceGone } from '@platform/durable/executors';
import {
  appliedProposalOf,
  outcomeAloneOf,
  outcomeProofsOf,
  type AppliedProposalRequest,
  type OutcomeProofs,
  type Unsigned,
} from '@platform/durable/investigation';
import type { AdmissionProofs } from '../workflows/read-admission-resolution';
import type command from './ops.command.cjs';

export type EventCommand =
  | { readonly kind: 'list_events'; readonly json: boolean }
  | { readonly kind: 'show_event'; readonly eventId: string }
  | { readonly kind: 'apply_event'; readonly applied: AppliedProposalRequest; readonly yes: boolean }
  | { readonly kind: 'resolve_event'; readonly request: Unsigned<AdmissionProofs>; readonly yes: boolean };

export type OpsCommand =
  | EventCommand
  | { readonly kind: 'list'; readonly json: boolean }
  | { readonly kind: 'gone'; readonly request: InstanceGone }
  | { readonly kind: 'show'; readonly attemptId: string }
  | { readonly kind: 'list_deletions'; readonly json: boolean }
  | { readonly kind: 'show_deletion'; readonly tenantId: string }
  | { readonly kind: 'resolve_deletion'; readonly request: Unsigned<OutcomeProofs>; readonly yes: boolean }
  | {
      readonly kind: 'apply';
      readonly about: 'provisioning_attempt' | 'deletion';
      readonly applied: AppliedProposalRequest;
      readonly yes: boolean;
    }
  | { readonly kind: 'resolve'; readonly request: Unsigned<OutcomeProofs>; readonly yes: boolean };

export function opsCommandOf({ command: name, words: [word = ''], values }: CommandRun<typeof command>): OpsCommand {
  switch (name) {
    case 'show provisioning-attempt':
      return { kind: 'show', attemptId: attemptIdOf(word) };
    case 'resolve provisioning-attempt': {
      const { yes } = values;
      const applied = appliedProposalOf(attemptIdOf(word), values);
      return applied
        ? { kind: 'apply', about: 'provisioning_attempt', applied, yes }
        : { kind: 'resolve', request: outcomeProofsOf(attemptIdOf(word), values), yes };
    }
    case 'list deletions':
      return { kind: 'list_deletions', json: values.json };
    case 'show deletion':
      return { kind: 'show_deletion', tenantId: attemptIdOf(word) };
    case 'resolve deletion': {
      const { yes } = values;
      const applied = appliedProposalOf(attemptIdOf(word), values);
      return applied
        ? { kind: 'apply', about: 'deletion', applied, yes }
        : { kind: 'resolve_deletion', request: outcomeProofsOf(attemptIdOf(word), values), yes };
    }
    case 'list event-admissions':
      return { kind: 'list_events', json: values.json };
    case 'show event-admission':
      return { kind: 'show_event', eventId: eventIdOf(word) };
    case 'resolve event-admission': {
      const { yes } = values;
      const applied = appliedProposalOf(eventIdOf(word), values);
      return applied
        ? { kind: 'apply_event', applied, yes }
        : { kind: 'resolve_event', request: outcomeAloneOf(eventIdOf(word), values), yes };
    }
    case 'instance gone':
      return { kind: 'gone', request: instanceGoneOf('provisioning', word, values) };
    default:
      return { kind: 'list', json: values.json };
  }
}

function attemptIdOf(text: string): string {
  if (!/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/.test(text)) throw new Misuse(`${text} is no id of a tenant`);
  return text;
}

function eventIdOf(text: string): string {
  if (!/^\w{1,255}$/.test(text)) throw new Misuse(`${text} is no id of an event`);
  return text;
}
