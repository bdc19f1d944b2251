/** Whether what the provider shows later still bears a resolution. */
import { evidenceRefusal, type SecondProof } from '@platform/durable/investigation';
import type { OutcomeResolution } from '@platform/durable/journal';
import { effects } from '@platform/payment-provider/effects';
import { lastingSteps } from '../../operations/domain/effects';

/**
 * Why it does not; null when it does, or when nothing can be concluded. Other operations go on meanwhile, so only what they
 * cannot cause counts: an object that names this record, against `not_applied`, and one that no later change takes out of
 * sight, against `applied`. What two people recorded against the evidence is not told once more.
 */
export function laterRefusal(resolution: OutcomeResolution, proof: SecondProof): string | null {
  const { outcome, override, evidence } = resolution;
  if (override) return null;
  const known = new Set(evidence?.objects);
  const counts = ({ step }: SecondProof['findings'][number]): boolean =>
    outcome === 'applied' ? lastingSteps.has(step) : effects[step].evidence.proof === 'intent';
  const findings = proof.findings.filter(counts);
  if (findings.length === 0 || (outcome === 'applied' && !bears(proof, findings))) return null;
  const harmless: NonNullable<SecondProof['harmless']> = (object, step) =>
    known.has(object.id) || (proof.harmless?.(object, step) ?? false);
  // Without calls: that one may still arrive is not what is asked here.
  const refusal = evidenceRefusal(resolution, { ...proof, findings, harmless, contradiction: null }, [], new Date(0));
  return refusal?.code === 'resolution_contradicted' ? refusal.text : null;
}

/** Whether the step on which `applied` rests is among them. */
function bears({ findings: all, makesWay = [] }: SecondProof, findings: SecondProof['findings']): boolean {
  const last = all.findLast(({ step }) => !makesWay.includes(step));
  return findings.some(({ step }) => step === last?.step);
}
