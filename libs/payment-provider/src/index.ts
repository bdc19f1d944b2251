export { lateEffectMinutes, lateEffectWarning, type PossiblySent } from './late-effects';
export * from './outcome-taxonomy';
export * from './port';
export { createStripeProvider, type StripeProvider, type StripeProviderOptions } from './stripe/stripe-provider';
export { verifyWebhook, type ProviderEvent, type WebhookRefusal, type WebhookRefusalCode } from './verify-webhook';
