/** What tests and simulations of other projects need of the payment provider: the fake, its faults, and wrong readers. */
export { createFakeProvider, type FakeProvider } from './fake/fake-provider';
export { misreadAnswers } from './fake/misread-answers';
export { providerFaults } from './fake/provider-faults';
