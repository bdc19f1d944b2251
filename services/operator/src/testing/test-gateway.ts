/** The gateway's routes on the fakes of one world, for tests through HTTP. */
import { apiVersion, fieldWords, operatorCodes } from '@platform/contracts-operator';
import { storeProblem } from '@platform/durable/boot';
import {
  createAuthenticator,
  createHttpServer,
  defineCodes,
  mintToken,
  newSigningKey,
  problem,
  publicKeySet,
  type Caller,
  type HttpServer,
  type InjectedAnswer,
  type Role,
  type Route,
} from '@platform/http-server';
import type { AskExecutors } from '@platform/durable/executors';
import { createSequentialIds, refused, signingKeyOf, silentLog } from '@platform/kernel';
import type { Messaging } from '@platform/messaging';
import { directoryRoutes } from '../directory/http/directory-routes';
import { accountRoutes } from '../account/http/account-routes';
import { activityRoutes } from '../activity/http/activity-routes';
import { financeRoutes } from '../finance/http/finance-routes';
import { planMigrationItemsCollection } from '../migrations/store/plan-migration-items';
import { planMigrationsCollection } from '../migrations/store/plan-migrations';
import { providerEventAdmissionsCollection } from '../provider-events/store/provider-event-admissions';
import { actionRoutes } from '../operations/http/action-routes';
import { checkoutForm } from '../checkout/http/checkout-answer';
import { operationForm } from '../operations/http/answer';
import { caseRoutes } from '../cases/http/case-routes';
import { caseWorkRoutes } from '../casework/http/case-work-routes';
import { casePinsCollection, caseWorkCollection } from '../casework/store/case-work';
import { caseKey } from '../casework/workflows/work-on-case';
import { webhookEventRoutes } from '../provider-events/http/webhook-event-routes';
import { liveRoutes } from '../work-queue/http/live-routes';
import { workQueueRoutes } from '../work-queue/http/work-queue-routes';
import { workItemsCollection } from '../work-queue/store/work-items';
import { createCounters } from '../work-queue/workflows/count-work';
import { createKnownWeights } from '../work-queue/workflows/known-weights';
import { consumerActionRoutes } from '../operations/http/consumer-action-routes';
import { consumerRoutes } from '../operations/http/consumer-routes';
import { inspectionRoutes } from '../operations/http/inspection-routes';
import { previewRoutes } from '../operations/http/preview-routes';
import { creditProposalRoutes } from '../proposals/http/credit-proposal-routes';
import { creditProposalsCollection } from '../proposals/store/credit-proposals';
import { proposalRoutes } from '../proposals/http/proposal-routes';
import { proposalsCollection } from '../proposals/store/proposals';
import { planRoutes } from '../catalogue/http/plan-routes';
import { provisioningRoutes } from '../creations/http/provisioning-routes';
import { awaitOutcome } from '../operations/workflows/await-outcome';
import { previewAction } from '../operations/workflows/preview-action';
import { runOperation } from '../operations/workflows/run-operation';
import { testMigrationRoutes } from '../migrations/testing/migration-gateway';
import { differencesCollection } from '../reconciliation/store/differences';
import { lostCreationsOf } from '../reconciliation/workflows/lost-creation';
import { sharedInject } from './shared-server';
import { signingSecret, type OperatorLife, type OperatorWorld } from './operator-world';

/** Answers as processes that report all work as theirs. */
const allAlive: AskExecutors = async (questions) => questions.map(() => ({ state: 'alive' }));

const signingKey = newSigningKey();
/** Made once, because making keys takes longer than most of these requests. */
const keySet = publicKeySet(signingKey);
const key = signingKeyOf(signingSecret);
const issuer = 'tests';
const auth = createAuthenticator({ keys: { kind: 'keys', keySet }, issuer, audience: issuer });
const tokens = new Map<string, Promise<string>>();

/** One token for each caller in a suite, because signing one takes longer than most of these requests. */
function tokenOf(caller: Caller): Promise<string> {
  const known = JSON.stringify(caller);
  const token =
    tokens.get(known) ?? mintToken({ signingKey, issuer, audience: issuer, lifetimeSeconds: 86_400, caller });
  tokens.set(known, token);
  return token;
}

const openServer = (routes: readonly Route[]): HttpServer =>
  createHttpServer({
    name: 'operator',
    version: 'test',
    log: silentLog,
    readiness: {},
    codes: defineCodes(operatorCodes),
    auth,
    routes,
    mapError: storeProblem,
    apiVersion,
    openapi: { title: 'gateway', words: fieldWords },
  });

export interface TestGateway {
  request(
    method: string,
    path: string,
    options?: {
      body?: unknown;
      role?: Role | 'anonymous';
      headers?: Record<string, string>;
      /** Default: one address for each role. */
      email?: string;
      /** Default: the address. */
      subject?: string;
      /** Of whose team the caller is. */
      consumers?: readonly string[];
    },
  ): Promise<InjectedAnswer>;
}

/** The answers of the other services; by default no service answers. */
export type Peers = Pick<Messaging, 'request'> & Partial<Pick<Messaging, 'connected' | 'streamStates'>>;

const noPeers: Peers = {
  request: async () => refused({ code: 'no_responders' as const, message: 'no service answers' }),
};

/** The queue as stored; no owner is asked, and a search finds nothing. */
function queueRoutes({ store, clock }: OperatorWorld): Route[] {
  const items = store.collection(workItemsCollection);
  const weights = createKnownWeights(items, clock);
  const counters = createCounters(items, weights, clock);
  const search = async () => ({ matches: [], unavailable: [] });
  const worked = {
    work: store.collection(caseWorkCollection),
    proposals: store.collection(proposalsCollection),
    clock,
  };
  return [
    ...workQueueRoutes({ ...worked, items, weights, count: () => counters.read(), sources: () => [], search }),
    ...caseWorkRoutes({
      ...worked,
      pins: store.collection(casePinsCollection),
      openCase: (kind, itemId) => items.findById(caseKey(kind, itemId)),
      readCase: async () => problem('not_found'),
      changed: async () => undefined,
    }),
  ];
}

export function createTestGateway(
  world: OperatorWorld,
  { ports }: OperatorLife,
  peers: Peers = noPeers,
  served: (routes: readonly Route[]) => readonly Route[] = (routes) => routes,
): TestGateway {
  const workspaceExists = ports.known.exists;
  const reads = { operations: ports.operations, askExecutors: allAlive };
  const inject = sharedInject(
    served([
      ...actionRoutes(
        {
          start: (request, waitMs) =>
            awaitOutcome(ports, request.operationId, waitMs, (accepted) => runOperation(ports, request, accepted)),
          workspaceExists,
        },
        { operation: operationForm, checkout: checkoutForm },
      ),
      ...previewRoutes({ preview: (request) => previewAction(ports, request), workspaceExists }),
      ...directoryRoutes({
        ...reads,
        subscriptions: ports.subscriptions,
        plans: ports.plans,
        provider: ports.provider,
        messaging: peers,
        clock: world.clock,
        dashboard: 'test',
      }),
      ...accountRoutes({
        ...reads,
        subscriptions: ports.subscriptions,
        plans: ports.plans,
        provider: ports.provider,
        clock: world.clock,
      }),
      ...activityRoutes({
        operations: ports.operations,
        subscriptions: ports.subscriptions,
        migrations: world.store.collection(planMigrationsCollection),
        migrationItems: world.store.collection(planMigrationItemsCollection),
        admissions: world.store.collection(providerEventAdmissionsCollection),
        messaging: peers,
      }),
      ...financeRoutes({
        operations: ports.operations,
        subscriptions: ports.subscriptions,
        migrations: world.store.collection(planMigrationsCollection),
        items: world.store.collection(planMigrationItemsCollection),
        provider: ports.provider,
        key,
      }),
      ...planRoutes({ plans: ports.plans, provider: ports.provider }),
      ...testMigrationRoutes(world),
      ...queueRoutes(world),
      ...webhookEventRoutes({ messaging: peers }),
      // This gateway opens no live stream and has no key.
      ...liveRoutes({ open: () => null }),
      ...caseRoutes({ readCase: async () => null, clock: world.clock }),
      ...proposalRoutes({
        proposals: world.store.collection(proposalsCollection),
        operations: ports.operations,
        subscriptions: ports.subscriptions,
        items: world.store.collection(planMigrationItemsCollection),
        migrations: world.store.collection(planMigrationsCollection),
        provider: ports.provider,
        messaging: peers,
        retryPolicy: ports.retryPolicy,
        clock: world.clock,
        ids: createSequentialIds(17),
        key,
      }),
      ...creditProposalRoutes({
        ...ports,
        creditProposals: world.store.collection(creditProposalsCollection),
        key,
      }),
      ...provisioningRoutes({
        messaging: peers,
        plans: ports.plans,
        ids: createSequentialIds(9),
        clock: ports.clock,
        lostCreations: (email) =>
          lostCreationsOf({ ...ports, differences: world.store.collection(differencesCollection) }, email),
      }),
      ...consumerActionRoutes({ messaging: peers }),
      ...consumerRoutes({ messaging: { connected: () => false, streamStates: async () => [], ...peers } }),
      ...inspectionRoutes({
        ...reads,
        subscriptions: ports.subscriptions,
        provider: ports.provider,
        messaging: peers,
        clock: world.clock,
        isUnderWay: async (key) => ports.work.find(key) !== undefined,
        reportStreams: async () => 'broker_unavailable',
      }),
    ]),
    openServer,
  );
  return {
    async request(
      method,
      path,
      { body, role = 'platform_owner', headers = {}, email = `${role}@example.com`, subject = email, consumers } = {},
    ) {
      const caller = {
        subject,
        email,
        role: role === 'anonymous' ? ('user' as const) : role,
        workspaces: { acme: 'owner' as const },
        permissions: [],
        ...(consumers && { consumers }),
      };
      const token: Record<string, string> =
        role === 'anonymous' ? {} : { authorization: `Bearer ${await tokenOf(caller)}` };
      return inject({
        method,
        url: path,
        headers: { ...token, ...headers },
        ...(body !== undefined && { body }),
      });
    },
  };
}
