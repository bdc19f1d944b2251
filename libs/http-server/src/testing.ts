/** What suites of other projects need to sign in. */
export { startFakeIdentityProvider, type FakeIdentityProvider } from './sign-in/fake-identity-provider';
