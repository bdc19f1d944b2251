export { lateEffectWarning, type PossiblySent } from './late-effects';
export * from './outcome-taxonomy';
export * from './objects';
export * from './port';
export { createStripeProvider } from './stripe/stripe-provider';
export { verifyWebhook } from './verify-webhook';
