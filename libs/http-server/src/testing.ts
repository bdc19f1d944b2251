/** For suites of other projects: signing in, and generating a typed client from a document. */
export { examplesIn, placeholdersIn } from './openapi/shown-bodies';
export * from './openapi/typescript-of';
export { startFakeIdentityProvider, type FakeIdentityProvider } from './sign-in/fake-identity-provider';
