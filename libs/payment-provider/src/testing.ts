/** For tests and simulations of other projects: the fake, its faults, and readers with errors. */
export { createFakeProvider, type FakeProvider } from './fake/fake-provider';
export { misreadAnswers } from './fake/misread-answers';
export { providerFaults } from './fake/provider-faults';
