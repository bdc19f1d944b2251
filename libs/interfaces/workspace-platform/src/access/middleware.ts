/**
 * Guards for HTTP services of other teams: each request that names a workspace is refused unless access is open at that
 * moment. They use only the few members that servers share, so no server is a dependency of this package.
 */
import type { AccessDecision } from './guard';
import { accessRefusal, type AccessRefusal } from './refusal';

export interface WorkspaceGuardOptions<Request> {
  /** The workspace of a request, after it was authenticated; undefined when it concerns none. */
  readonly tenantOf: (request: Request) => string | undefined | Promise<string | undefined>;
}

type Decide = (tenantId: string) => Promise<AccessDecision>;

/** The members of node's own response, which its many frameworks share. */
export interface PlainResponse {
  statusCode: number;
  setHeader(name: string, value: string): unknown;
  end(body: string): unknown;
}

/** The members of a fastify reply. */
export interface FastifyReply {
  code(status: number): unknown;
  headers(values: Record<string, string>): unknown;
  send(body: string): unknown;
}

async function refusalOf<Request>(
  request: Request,
  { tenantOf }: WorkspaceGuardOptions<Request>,
  decide: Decide,
): Promise<AccessRefusal | undefined> {
  const tenantId = await tenantOf(request);
  return tenantId === undefined ? undefined : accessRefusal(await decide(tenantId));
}

/** `(request, response, next)`, for node, connect and express. An error of `tenantOf` goes to `next`. */
export function plainGuard<Request>(options: WorkspaceGuardOptions<Request>, decide: Decide) {
  return async (request: Request, response: PlainResponse, next: (error?: unknown) => unknown): Promise<void> => {
    let refusal: AccessRefusal | undefined;
    try {
      refusal = await refusalOf(request, options, decide);
    } catch (error) {
      next(error);
      return;
    }
    if (!refusal) {
      next();
      return;
    }
    response.statusCode = refusal.status;
    for (const [name, value] of Object.entries(refusal.headers)) response.setHeader(name, value);
    response.end(JSON.stringify(refusal.document));
  };
}

/** A fastify hook (`preHandler`); it sends refusals itself. */
export function fastifyGuard<Request>(options: WorkspaceGuardOptions<Request>, decide: Decide) {
  return async (request: Request, reply: FastifyReply): Promise<FastifyReply | void> => {
    const refusal = await refusalOf(request, options, decide);
    if (!refusal) return undefined;
    reply.code(refusal.status);
    reply.headers({ ...refusal.headers });
    reply.send(JSON.stringify(refusal.document));
    return reply;
  };
}
