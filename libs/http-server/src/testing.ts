/** What suites of other projects need: to sign in, and to draw a typed client from a document. */
export * from './openapi/typescript-of';
export { startFakeIdentityProvider, type FakeIdentityProvider } from './sign-in/fake-identity-provider';
