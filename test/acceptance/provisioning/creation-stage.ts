/** Creations from their suite's view: people's requests, a separate listener service, and the records of a creation. */
import type { AdminState } from '@platform/contracts-operator';
import { listenerRequests, listenerSubjects, type AttemptView } from '@platform/contracts-provisioning';
import { ok, refused, silentLog } from '@platform/kernel';
import { connectMessaging, platformTopology, type Messaging } from '@platform/messaging';
import { eventually } from '@platform/testing';
import type { Answer, GatewayClient } from '../../../infra/local/demo/gateway-client';
import type { TwinClient } from '../../../infra/local/demo/twin-client';
import { createPatientClient } from '../../../infra/local/demo/patient-client';
import type { PlatformAddresses } from '../../support/platform';

const listenerName = 'welcome';
const registrationMs = 60_000;

interface Created {
  readonly tenantId: string;
  readonly status: string;
  readonly code: string;
  readonly attempt?: AttemptView;
  readonly errors: readonly { readonly pointer: string }[];
}

/** A valid request. */
export const wanted = {
  workspaceName: 'Fresh',
  planId: 'starter',
  paymentMethodId: 'pm_card_visa',
  billingProfile: { name: 'Ada Lovelace', country: 'GB' },
};

export interface CreationStage extends ReturnType<typeof createReads> {
  /** The notices that the listener `welcome` received, in order. */
  readonly heard: readonly Record<string, unknown>[];
  /** From now on the listener fails for this tenant. */
  refuse(tenantId: string): void;
  create(email: string, body: object): Promise<Answer<Created>>;
  close(): Promise<void>;
}

interface Running {
  readonly platform: PlatformAddresses;
  readonly gateway: GatewayClient;
  readonly twin: TwinClient;
}

export async function openStage({ platform, gateway, twin }: Running): Promise<CreationStage> {
  const heard: Record<string, unknown>[] = [];
  const messaging = await connectMessaging({
    url: platform.natsUrl,
    name: 'test',
    topology: platformTopology(),
    log: silentLog,
  });
  const refusing = new Set<string>();
  await listen(messaging, heard, refusing);
  return {
    ...createReads(gateway, twin),
    heard,
    refuse: (tenantId) => void refusing.add(tenantId),
    create: async (email, body) => {
      const client = createPatientClient(platform.gatewayUrl, await platform.token({ role: 'user', email }));
      return client.post<Created>('/api/saas/workspaces', body);
    },
    close: async () => {
      // Without this process the registered listener would fail creations and deletions of other suites.
      const left = { name: listenerName, registeredBy: 'test' };
      await messaging.request(listenerRequests.unregister(listenerName), left, registrationMs);
      await messaging.close();
    },
  };
}

async function listen(
  messaging: Messaging,
  heard: Record<string, unknown>[],
  refusing: ReadonlySet<string>,
): Promise<void> {
  await messaging.serve(
    { name: listenerName, version: '1.0.0', description: 'a provisioning listener' },
    (['TENANT_BEING_PROVISIONED', 'TENANT_DELETED'] as const).map((event) => ({
      name: event.toLowerCase(),
      subject: listenerSubjects[event](listenerName),
      answer: async (body) => {
        heard.push(body as Record<string, unknown>);
        return refusing.has(String((body as Record<string, unknown>)['tenantId']))
          ? refused({ code: 'refused', message: 'this suite wants it so' })
          : ok({ done: true });
      },
    })),
  );
  const registered = await messaging.request(
    listenerRequests.register(listenerName),
    { name: listenerName, events: ['TENANT_BEING_PROVISIONED', 'TENANT_DELETED'], registeredBy: 'test' },
    registrationMs,
  );
  if (!registered.ok) throw new Error(JSON.stringify(registered.error));
}

function createReads(gateway: GatewayClient, twin: TwinClient) {
  const adminState = (tenantId: string) => gateway.get<AdminState>(`/api/saas/workspaces/${tenantId}/admin-state`);
  const attemptOf = async (tenantId: string) =>
    (await gateway.get<AttemptView>(`/api/saas/workspaces/${tenantId}/provisioning-attempt`)).body;
  const mirrored = async (tenantId: string) =>
    (
      await eventually(async () => ((await adminState(tenantId)).status === 200 ? adminState(tenantId) : false), {
        describe: 'the mirror of the workspace',
      })
    ).body;
  const charges = async (tenantId: string) =>
    (await twin.effects(`workspace-created:${tenantId}`)).filter(({ path }) => path.endsWith('/pay'));
  const settledOf = async (tenantId: string) =>
    (
      await gateway.get<{ deliveries: { operationId: string; status: string }[] }>(
        '/api/saas/lifecycle/deliveries?limit=100',
      )
    ).body.deliveries.filter(({ operationId }) => operationId === `workspace-created:${tenantId}`);
  return { adminState, attemptOf, mirrored, charges, settledOf };
}
