/** Investigations: proofs, plan, record and trail of a resolution, and the off-line command line. */
export type { OutcomeProofs, Proofs } from './proofs';
export type { Override } from './resolution';
export { defineInvestigation, type InvestigationPorts, type Planned } from './investigate';
export { defineReading } from './plan';
export { openSurroundings } from './surroundings';
export { evidenceRefusal, type SecondProof } from './second-proof';
export { judgeProposed, type Judged, type ProposedProofs } from './judged';
export {
  appliedProposalOf,
  readAppliedProposal,
  signingKey,
  verifyingKey,
  type AppliedProposalRequest,
} from './applied-proposal';
export { contradictedAmong, laterRefusal, watchedHours, type WatchedPosition } from './watched';
export {
  resolveOffline,
  resolveProven,
  runOffline,
  type OfflineWork,
  type ResolvingWork,
  type Terminal,
} from './off-line';
export { outcomeAloneOf, outcomeProofsOf, proofsOf, type Unsigned } from './proof-options';
export type { Claimed } from './people';
