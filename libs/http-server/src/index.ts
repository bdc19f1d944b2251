export { createAuthenticator, notYetValidText, type Authenticator } from './auth/authenticator';
export { type Caller } from './auth/claims';
export { openRevokedTokens, type Revoked } from './auth/revoked-tokens';
export { isStaff, roles, type Role } from './auth/roles';
export { mintToken } from './auth/mint-token';
export { newSigningKey, publicKeySet } from './auth/signing-key';
export { authenticatorOf, tokenKeysAreOne, tokenKeysByTls, tokenVariables } from './auth/token-settings';
export { baseCodes, defineCodes, mergeCodes } from './codes';
export { type Policy } from './policy';
export { problem, type Problem, type ProblemDocument } from './problem';
export { defineRoute, reply, type Reply, type Responses, type Route } from './route';
export { staticPageRoutes } from './static-page';
export { namesTag } from './server/interface-rules';
export { createHttpServer } from './server/create-http-server';
export type { HttpServer, HttpServerOptions, InjectedAnswer, ProblemPage } from './server/options';
export type { ReadinessCheck } from './server/health';
export { cookieOf, isSameOrigin, siteCookie, type BrowserSessions } from './sign-in/browser-session';
export { createIdentityProvider, type IdentityProvider } from './sign-in/identity-provider';
export { createSignInExchange, type SignInExchange, type SignInOutcome } from './sign-in/sign-in-exchange';
export { tokenSessions } from './sign-in/token-sessions';
export {
  identityProviderOf,
  providerIsWhole,
  providerVariables,
  signInByTls,
  signInIsWhole,
  signInVariables,
  namesOf,
  ownerSettings,
  ownerSignInByTls,
  ownerSignInIsWhole,
  ownerSignInVariables,
  personOfClaims,
  type ProviderSettings,
  type SignedInPerson,
} from './sign-in/sign-in-settings';
export { innerPortInProduction, proxiesInProduction, serverSettings, serverVariables } from './server/server-settings';
export { defaultShedLimits } from './server/shed-load';
