/** What tests and simulations of other projects need: the fake, its faults, and readers that are wrong. */
export { createFakeProvider, type FakeProvider } from './fake/fake-provider';
export { misreadAnswers } from './fake/misread-answers';
export { providerFaults } from './fake/provider-faults';
