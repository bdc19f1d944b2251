/** Investigations: proofs, plan, record and trail of a resolution, and the off-line command line. */
export { proofRefusal, type OutcomeProofs, type Proofs } from './proofs';
export {
  defineInvestigation,
  type Investigation,
  type InvestigationPorts,
  type Planned,
  type ResolutionOf,
} from './investigate';
export { resolveOffline, runOffline, type OfflineWork, type Terminal } from './off-line';
export { outcomeOf, outcomeProofsOf, proofsOf } from './proof-options';
