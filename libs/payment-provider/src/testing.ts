/** What tests and simulations of other projects need of the payment provider: the fake and the rows of its faults. */
export { createFakeProvider, type FakeProvider, type ProviderSend, type SendMatch } from './fake/fake-provider';
export type { ProviderEffect } from './fake/reception';
export { providerFault, providerFaults, type ProviderFault, type ProviderFaultKind } from './fake/provider-faults';
export type { ProviderSeed } from './fake/provider-state';
export { paymentProviderFeatures } from './payment-provider.features';
export type { ProviderHarness } from './payment-provider.harness';
