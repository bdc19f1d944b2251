export type { FoundObject } from './found-object';
export { gatherEvidence, type EffectEvidence, type EvidenceQuestion, type RecordedCall } from './gather-evidence';
export { lastPossibleSend, lateEffect, type PossiblySent } from './late-effects';
export * from './outcome-taxonomy';
export { nameObject } from './name-object';
export * from './objects';
export * from './port';
export { createStripeProvider } from './stripe/stripe-provider';
export { verifyWebhook } from './verify-webhook';
