export { createAuthenticator, type Authenticator } from './auth/authenticator';
export { type Caller } from './auth/claims';
export { mintToken } from './auth/mint-token';
export { baseCodes, defineCodes, mergeCodes } from './codes';
export { type Policy } from './policy';
export { problem, type Problem, type ProblemDocument } from './problem';
export { defineRoute, reply, type Reply, type Responses, type Route } from './route';
export { createHttpServer } from './server/create-http-server';
export type { HttpServer, InjectedAnswer, ProblemPage } from './server/options';
