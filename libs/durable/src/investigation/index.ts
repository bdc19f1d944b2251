/** Investigations: proofs, plan, record and trail of a resolution, and the off-line command line. */
export type { OutcomeProofs, Proofs } from './proofs';
export type { Override } from './resolution';
export { defineInvestigation, type InvestigationPorts, type Planned } from './investigate';
export { evidenceRefusal, type SecondProof } from './second-proof';
export { resolveOffline, runOffline, type OfflineWork, type Terminal } from './off-line';
export { outcomeOf, outcomeProofsOf, proofsOf, type Unsigned } from './proof-options';
export type { Claimed } from './people';
