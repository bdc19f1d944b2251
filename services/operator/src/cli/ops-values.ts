/** What was typed behind `npm run ops`, and the proofs in it; shared by the commands of all rooms. Throws `Misuse`. */
import { Misuse, type CommandRun } from '@platform/command-line';
import type { ResolutionRequest } from '../operations/workflows/resolve-operation';
import type command from './ops.command.cjs';

export type OpsRun = CommandRun<typeof command>;
export type OpsValues = OpsRun['values'];

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
