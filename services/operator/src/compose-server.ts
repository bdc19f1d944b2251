/** The part of the composition that answers HTTP: every route of the gateway, each with the workflow behind it. */
import { operatorCodes } from '@platform/contracts-operator';
import {
  createAuthenticator,
  createHttpServer,
  defineCodes,
  problem,
  type HttpServer,
  type Route,
} from '@platform/http-server';
import type { Messaging } from '@platform/messaging';
import { StoreUnavailableError, type Store } from '@platform/mongo';
import type { PaymentProvider } from '@platform/payment-provider';
import type { ServiceContext, WorkUnderWay } from '@platform/service-host';
import type { ConsoleComposition } from './compose-console';
import type { Config } from './config';
import { actionRoutes } from './operations/http/action-routes';
import { checkoutRoutes } from './checkout/http/checkout-routes';
import { inspectionRoutes } from './operations/http/inspection-routes';
import { planRoutes } from './catalogue/http/plan-routes';
import { provisioningRoutes } from './creations/http/provisioning-routes';
import { webhookEventRoutes } from './provider-events/http/webhook-event-routes';
import { awaitOutcome } from './operations/workflows/await-outcome';
import { createKnownWorkspaces } from './operations/workflows/known-workspaces';
import type { OperatorPorts } from './operations/workflows/ports';
import type { ReadPorts } from './operations/workflows/read-operation';
import { reportStreams } from './operations/workflows/report-streams';
import { runOperation } from './operations/workflows/run-operation';

type Context = ServiceContext<Config>;

export interface ServerParts {
  readonly ports: OperatorPorts;
  readonly reads: ReadPorts;
  readonly store: Store;
  readonly messaging: Messaging;
  readonly provider: PaymentProvider;
  readonly under: WorkUnderWay;
  readonly operatorConsole: ConsoleComposition;
  readonly migrationRoutes: readonly Route[];
}

export function createServer(context: Context, parts: ServerParts): HttpServer {
  const { config, log, tracing, metrics, executor } = context;
  const { store, messaging } = parts;
  const limit = config.RATE_LIMIT_PER_MINUTE;
  return createHttpServer({
    name: 'operator',
    version: '0.1.0',
    routes: routesOf(context, parts),
    codes: defineCodes(operatorCodes),
    auth: createAuthenticator({
      keys: config.JWKS_URL
        ? { kind: 'jwks', url: config.JWKS_URL }
        : {
            kind: 'secret',
            secrets: [config.JWT_SECRET, config.JWT_SECRET_PREVIOUS].filter((secret) => secret !== undefined),
          },
      issuer: config.JWT_ISSUER,
      audience: config.JWT_AUDIENCE,
    }),
    ...(limit > 0 && { rateLimit: { perAddress: limit, perCaller: limit, windowMs: 60_000 } }),
    limits: { requestTimeoutMs: 60_000 },
    readiness: { store: () => store.ping(), broker: async () => (messaging.connected() ? undefined : 'not connected') },
    metrics,
    log,
    tracing,
    mapError: (error) =>
      error instanceof StoreUnavailableError ? problem('store_unavailable', { retryAfterSeconds: 2 }) : undefined,
    openapi: {
      title: 'Workspace platform gateway',
      description: `Operator actions, inspection and evidence. Instance ${executor.instance}.`,
    },
  });
}

function routesOf(
  { clock, ids }: Context,
  { ports, reads, messaging, provider, under, operatorConsole, migrationRoutes }: ServerParts,
): Route[] {
  const evidence = { ...reads, subscriptions: ports.subscriptions, provider, messaging, clock };
  return [
    ...actionRoutes({
      start: async (request, waitMs) => {
        const answer = await awaitOutcome(ports, request.operationId, waitMs, (accepted) =>
          under.track(runOperation(ports, request, accepted)),
        );
        if (answer.kind === 'unfinished' || answer.kind === 'stopped')
          void under.track(operatorConsole.look(request.operationId));
        return answer;
      },
      workspaceExists: createKnownWorkspaces(ports.subscriptions),
    }),
    ...checkoutRoutes({
      startCheckout: (request) => under.track(runOperation(ports, request)),
      workspaceExists: createKnownWorkspaces(ports.subscriptions),
    }),
    ...operatorConsole.routes,
    ...migrationRoutes,
    ...webhookEventRoutes({ messaging }),
    ...planRoutes({ plans: ports.plans }),
    ...provisioningRoutes({ messaging, plans: ports.plans, ids }),
    ...inspectionRoutes({
      ...evidence,
      reportStreams: () => reportStreams({ messaging, operations: ports.operations }),
    }),
  ];
}
