/** A broker on which only the owner of access answers, for suites of services that run without a gateway. */
import { workspaceAccessSubject, type WorkspaceAccess } from '@platform/contracts-operator';
import { ok, silentLog } from '@platform/kernel';
import { connectMessaging, platformTopology } from '@platform/messaging';
import { startTestServer } from '@platform/messaging/testing';

export interface AccessOwner {
  readonly natsUrl: string;
  /** The access of each workspace; a workspace without an entry is open. */
  readonly access: Map<string, WorkspaceAccess>;
  /** Stops the broker at once. */
  cutOff(): Promise<void>;
  stop(): Promise<void>;
}

const open: WorkspaceAccess = { state: 'open', revision: 1 };

export async function startAccessOwner(): Promise<AccessOwner> {
  const server = await startTestServer();
  const access = new Map<string, WorkspaceAccess>();
  const messaging = await connectMessaging({
    url: server.url,
    name: 'operator',
    topology: platformTopology(),
    log: silentLog,
  });
  await messaging.serve({ name: 'operator', version: '0.1.0', description: 'Access of workspaces' }, [
    {
      name: 'access',
      subject: workspaceAccessSubject,
      answer: async (body) => ok({ ...(access.get((body as { tenantId: string }).tenantId) ?? open) }),
    },
  ]);
  return {
    natsUrl: server.url,
    access,
    cutOff: () => server.kill(),
    stop: async () => {
      await messaging.close();
      await server.stop();
    },
  };
}
