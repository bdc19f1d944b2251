/** What a command about provisioning attempts asks for, decoded as strictly as a request body. Throws `Misuse`. */
import { Misuse, type CommandRun } from '@platform/command-line';
import type { ResolutionRequest } from '../workflows/resolve-attempt';
import type command from './ops.command.cjs';

export type OpsCommand =
  | { readonly kind: 'list' }
  | { readonly kind: 'show'; readonly attemptId: string }
  | { readonly kind: 'resolve'; readonly request: ResolutionRequest; readonly yes: boolean }
  | { readonly kind: 'migrate'; readonly apply: boolean }
  | { readonly kind: 'audit'; readonly expect: readonly string[] };

type Run = CommandRun<typeof command>;

export function opsCommandOf({ command: name, words: [word = ''], values }: Run): OpsCommand {
  switch (name) {
    case 'list provisioning-attempts':
      return { kind: 'list' };
    case 'show provisioning-attempt':
      return { kind: 'show', attemptId: attemptIdOf(word) };
    case 'resolve provisioning-attempt':
      return { kind: 'resolve', request: requestOf(attemptIdOf(word), values), yes: values.yes };
    case 'migrate':
      return { kind: 'migrate', apply: values.apply };
    case 'audit verify':
      return { kind: 'audit', expect: values.expect };
  }
}

function attemptIdOf(text: string): string {
  if (!/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/.test(text)) throw new Misuse(`${text} is no id of a tenant`);
  return text;
}

function requestOf(attemptId: string, { outcome, by = '', ...proofs }: Run['values']): ResolutionRequest {
  const { 'executor-stopped': executorStopped = '', 'provider-object': object } = proofs;
  if (outcome === undefined) throw new Misuse('--outcome is missing');
  if (object === undefined) throw new Misuse("--provider-object is missing: the id of the provider's object, or none");
  return { attemptId, outcome, executorStopped, providerObject: object === 'none' ? null : object, by };
}
