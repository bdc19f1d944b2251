/** What tests and simulations of other projects need of the payment provider: the fake and the rows of its faults. */
export { createFakeProvider, type FakeProvider, type ProviderEffect, type ProviderSend, type SendMatch } from './fake/fake-provider';
export { providerFault, providerFaults, type ProviderFault, type ProviderFaultKind } from './fake/provider-faults';
export type { ProviderSeed } from './fake/provider-state';
