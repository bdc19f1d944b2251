/**
 * Finds resolutions of creations that the provider's state contradicts. Reads only; the gateway asks, records and
 * alerts.
 */
import { contradictedAmong, laterRefusal, type WatchedPosition } from '@platform/durable/investigation';
import { effects, type EffectStep } from '@platform/payment-provider/effects';
import type { Attempt, Resolution } from '../domain/attempt';
import type { ProvisioningCollections } from './ports';
import { payment, readSecondProof, type SecondProofPorts } from './second-proof';

export type ContradictedPorts = SecondProofPorts & Pick<ProvisioningCollections, 'attempts'>;

/** One page of the resolutions recorded after `since`. Throws StoreUnavailableError. */
export function contradictedCreations(ports: ContradictedPorts, since: Date, after?: WatchedPosition) {
  const contradicts = async (attempt: Attempt, resolution: Resolution) => {
    const proof = await readSecondProof(ports, attempt, resolution);
    const text = laterRefusal(resolution, proof, counts);
    if (text === null) return null;
    const objects = [...new Set(proof.findings.flatMap(({ objects: shown }) => shown.map(({ id }) => id)))];
    return { tenantId: attempt.tenantId, title: `create workspace ${attempt.workspaceName}`, text, objects };
  };
  return contradictedAmong({ records: ports.attempts, contradicts }, since, after);
}

/**
 * A paid invoice stays paid, whatever happens to the workspace. Of the other steps, only objects that name the creation
 * count: they contradict `not_applied`, and only the payment bears `applied`.
 */
const counts = (step: string): boolean => step === payment || effects[step as EffectStep].evidence.proof === 'intent';
