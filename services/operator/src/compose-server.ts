/** The part of the composition that answers HTTP: every route of the gateway, each with the workflow behind it. */
import { apiVersion, fieldWords, operatorCodes } from '@platform/contracts-operator';
import type { HttpDeclaration } from '@platform/durable/boot';
import { openSurroundings } from '@platform/durable/investigation';
import { signingKeyOf } from '@platform/kernel';
import { authenticatorOf, defineCodes, serverSettings, type Route } from '@platform/http-server';
import { plainTheme } from './account/domain/owner-theme';
import { accountPageRoutes } from './account/http/account-page';
import { accountRoutes } from './account/http/account-routes';
import { activityRoutes } from './activity/http/activity-routes';
import { planRoutes } from './catalogue/http/plan-routes';
import { checkoutForm } from './checkout/http/checkout-answer';
import type { Gateway } from './compose-gateway';
import type { ConsoleComposition } from './compose-console';
import type { SignIn } from './compose-sign-in';
import { provisioningRoutes, type ProvisioningRoutePorts } from './creations/http/provisioning-routes';
import { dashboardModeOf } from './directory/domain/dashboard';
import { directoryRoutes } from './directory/http/directory-routes';
import { financeRoutes } from './finance/http/finance-routes';
import { planMigrationItemsCollection } from './migrations/store/plan-migration-items';
import { planMigrationsCollection } from './migrations/store/plan-migrations';
import { actionRoutes } from './operations/http/action-routes';
import { operationForm } from './operations/http/answer';
import { consumerActionRoutes } from './operations/http/consumer-action-routes';
import { consumerRoutes, type ConsumerPorts } from './operations/http/consumer-routes';
import { inspectionRoutes } from './operations/http/inspection-routes';
import { previewRoutes } from './operations/http/preview-routes';
import { readingOnly } from './operations/http/reading-only';
import { awaitOutcome } from './operations/workflows/await-outcome';
import { previewAction } from './operations/workflows/preview-action';
import { reportStreams } from './operations/workflows/report-streams';
import { runOperation } from './operations/workflows/run-operation';
import { creditProposalRoutes } from './proposals/http/credit-proposal-routes';
import { creditProposalsCollection } from './proposals/store/credit-proposals';
import { proposalRoutes, type ProposalRoutePorts } from './proposals/http/proposal-routes';
import { proposalsCollection } from './proposals/store/proposals';
import { providerEventAdmissionsCollection } from './provider-events/store/provider-event-admissions';
import { webhookEventRoutes } from './provider-events/http/webhook-event-routes';
import { differencesCollection } from './reconciliation/store/differences';
import { lostCreationsOf } from './reconciliation/workflows/lost-creation';
import { signInPage } from './sign-in/http/sign-in-page';

export function gatewayServer(
  gateway: Gateway,
  migrationRoutes: readonly Route[],
  { consoleRoutes, ownerRoutes, sessions }: SignIn,
  operatorConsole?: ConsoleComposition,
): HttpDeclaration {
  const { config } = gateway.service;
  const signingIn = [...ownerRoutes, ...(operatorConsole ? consoleRoutes : [])];
  const routes = [...routesOf(gateway, operatorConsole), ...migrationRoutes, ...signingIn];
  return {
    routes: config.CONSOLE_ONLY ? readingOnly(routes) : routes,
    apiVersion,
    codes: defineCodes(operatorCodes),
    auth: authenticatorOf(config),
    sessions,
    problemPage: signInPage,
    ratePerMinute: config.RATE_LIMIT_PER_MINUTE,
    ...serverSettings(config),
    limits: { requestTimeoutMs: 60_000 },
    openapi: {
      title: 'Workspace platform gateway',
      description: 'Operator actions, inspection and evidence.',
      words: fieldWords,
    },
  };
}

/** The gateway judges a proposal exactly as the off-line program will, but has no means to apply it. */
function proposalPorts({ service, ports, reads, provider }: Omit<Gateway, 'governor'>): ProposalRoutePorts {
  const { store, clock, ids, config, messaging } = service;
  const { STRIPE_API_BASE: apiBase, OPS_COMMAND: opsCommand } = config;
  const surroundings = openSurroundings({ ...(apiBase !== undefined && { STRIPE_API_BASE: apiBase }) });
  return {
    proposals: store.collection(proposalsCollection),
    operations: ports.operations,
    subscriptions: ports.subscriptions,
    items: store.collection(planMigrationItemsCollection),
    migrations: store.collection(planMigrationsCollection),
    provider,
    messaging,
    providerNow: (sentAt) => surroundings.providerNow(sentAt, clock),
    askExecutors: reads.askExecutors,
    retryPolicy: ports.retryPolicy,
    clock,
    ids,
    key: signerOf(config),
    opsCommand,
  };
}

const signerOf = ({ CASE_SIGNING_KEY: secret }: Gateway['service']['config']) =>
  secret === undefined ? undefined : signingKeyOf(secret);

function creditsOfTwo({ store, config }: Gateway['service'], ports: Gateway['ports']): Route[] {
  const creditProposals = store.collection(creditProposalsCollection);
  return creditProposalRoutes({ ...ports, creditProposals, key: signerOf(config) });
}

function routesOf(
  { service, ports, reads, provider }: Gateway,
  operatorConsole: ConsoleComposition | undefined,
): Route[] {
  const { clock, ids, messaging, isUnderWay } = service;
  const evidence = { ...reads, subscriptions: ports.subscriptions, provider, messaging, clock, isUnderWay };
  const workspaceExists = ports.known.exists;
  return [
    ...actionRoutes(
      {
        start: async (request, waitMs) => {
          const answer = await awaitOutcome(ports, request.operationId, waitMs, (accepted) =>
            runOperation(ports, request, accepted),
          );
          if (operatorConsole && (answer.kind === 'unfinished' || answer.kind === 'stopped'))
            void operatorConsole.look(request.operationId);
          return answer;
        },
        workspaceExists,
      },
      { operation: operationForm, checkout: checkoutForm },
    ),
    ...previewRoutes({ preview: (request) => previewAction({ ...ports, provider }, request), workspaceExists }),
    ...(operatorConsole?.routes ?? []),
    ...directoryRoutes({
      ...evidence,
      plans: ports.plans,
      dashboard: dashboardModeOf({
        secretKey: service.config.STRIPE_SECRET_KEY,
        apiBase: service.config.STRIPE_API_BASE,
      }),
    }),
    ...accountPageRoutes(service.config.OWNER_PAGES_THEME ?? plainTheme, service.config.OWNER_PAGES_DIR),
    ...accountRoutes({ ...evidence, plans: ports.plans }),
    ...activityRoutes({
      ...evidence,
      operations: ports.operations,
      migrations: service.store.collection(planMigrationsCollection),
      migrationItems: service.store.collection(planMigrationItemsCollection),
      admissions: service.store.collection(providerEventAdmissionsCollection),
    }),
    ...proposalRoutes(proposalPorts({ service, ports, reads, provider })),
    ...creditsOfTwo(service, ports),
    ...financeRoutes({
      operations: ports.operations,
      subscriptions: ports.subscriptions,
      migrations: service.store.collection(planMigrationsCollection),
      items: service.store.collection(planMigrationItemsCollection),
      provider,
      key: signerOf(service.config),
    }),
    ...planRoutes({ plans: ports.plans, provider }),
    ...provisioningRoutes({ messaging, plans: ports.plans, ids, clock: ports.clock, ...lostCreations(service, ports) }),
    ...answeredByPeers({ messaging }),
    ...inspectionRoutes({
      ...evidence,
      reportStreams: () => reportStreams({ messaging, service: service.service, outboxes: service.outboxes }),
    }),
  ];
}

function lostCreations(
  { store }: Gateway['service'],
  { subscriptions }: Gateway['ports'],
): Pick<ProvisioningRoutePorts, 'lostCreations'> {
  const ports = { subscriptions, differences: store.collection(differencesCollection) };
  return { lostCreations: (email) => lostCreationsOf(ports, email) };
}

/** Requests that other services decide, because they keep the records. */
function answeredByPeers(ports: ConsumerPorts): Route[] {
  return [...webhookEventRoutes(ports), ...consumerRoutes(ports), ...consumerActionRoutes(ports)];
}
