export { admissionMatrix, type AdmissionRow } from './admission-matrix';
export {
  createAuthenticator,
  type Authenticator,
  type AuthenticatorOptions,
  type TokenKeys,
  type TokenVerdict,
} from './auth/authenticator';
export { callerOf, type Caller } from './auth/claims';
export { mintToken, type MintOptions } from './auth/mint-token';
export { baseCodes, defineCodes, mergeCodes, type BaseCode, type CodeEntry, type CodeTable } from './codes';
export { buildOpenApi, type OpenApiDocument, type OpenApiFacts, type OpenApiInput } from './openapi/build-openapi';
export { admissionTo, policies, type Admission, type Policy } from './policy';
export {
  problem,
  problemDocument,
  problemType,
  type FieldError,
  type Problem,
  type ProblemDocument,
  type ProblemParticulars,
} from './problem';
export {
  defineRoute,
  reply,
  type GuardInput,
  type HandlerInput,
  type Method,
  type Reply,
  type Responses,
  type Route,
  type RouteDefinition,
} from './route';
export { createHttpServer } from './server/create-http-server';
export type { ReadinessCheck } from './server/health';
export type { HttpLimits } from './server/limits';
export type {
  HttpMetrics,
  HttpServer,
  HttpServerOptions,
  InjectedAnswer,
  InjectedRequest,
  ProblemPage,
} from './server/options';
export type { RateLimit } from './server/rate-limit';
export type { MapError } from './server/refusals';
