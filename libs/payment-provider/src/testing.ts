/** What tests and simulations of other projects need of the payment provider: the fake and the rows of its faults. */
export { createFakeProvider, type FakeProvider } from './fake/fake-provider';
export { providerFaults } from './fake/provider-faults';
