/** Investigations: proofs, plan, record and trail of a resolution, and the off-line command line. */
export type { OutcomeProofs, Override, Proofs, RecordedOverride } from './proofs';
export {
  defineInvestigation,
  type InvestigationPorts,
  type OutcomeResolution,
  type Planned,
  type ResolutionOf,
} from './investigate';
export { isEvidenceRefusal, searchedText, type ResolutionEvidence, type SecondProof } from './second-proof';
export { resolveOffline, runOffline, type OfflineWork, type Terminal } from './off-line';
export { outcomeOf, outcomeProofsOf, proofsOf, type Unsigned } from './proof-options';
export type { People } from './people';
export { openSurroundings, portBaseOf, type Surroundings } from './surroundings';
