/** What services get that ask the gateway about a workspace, and what the gateway asks of provisioning. */
import { workspaceAccessSubject, type WorkspaceAccess } from '@platform/contracts-operator';
import { attemptRequests } from '@platform/contracts-provisioning';
import { createManualClock, ok } from '@platform/kernel';
import type { Endpoint } from '@platform/messaging';
import { createFakeBroker } from '@platform/messaging/testing';
import { StoreUnavailableError } from '@platform/mongo';
import { attemptView } from '../../creations/testing/attempt-view';
import { accessEndpoint, attemptStatusOf } from './serve-access';

const about = { version: '1.0.0', description: 'access' };

async function serving(name: string, endpoints: readonly Endpoint[]) {
  const broker = createFakeBroker({ clock: createManualClock() });
  await broker.connect(name).serve({ name, ...about }, endpoints);
  return broker;
}

const asking = (read: (tenantId: string) => Promise<WorkspaceAccess>) => async (body: object) => {
  const broker = await serving('operator', [accessEndpoint(read)]);
  return broker.connect('storage').request(workspaceAccessSubject, { ...body }, 1_000);
};

describe('the answer on the access of a workspace', () => {
  it('is the access of the workspace that was asked about', async () => {
    const asked: string[] = [];
    const ask = asking(async (tenantId) => {
      asked.push(tenantId);
      return { state: 'closed', reason: 'suspended', revision: 3 };
    });
    expect(await ask({ tenantId: 'acme' })).toEqual(ok({ state: 'closed', reason: 'suspended', revision: 3 }));
    expect(asked).toEqual(['acme']);
  });

  it.each([
    ['invalid_request', 'a question that names no workspace', {}, new Error('nothing is read')],
    ['store_unavailable', 'a store that cannot be asked', { tenantId: 'acme' }, new StoreUnavailableError('away')],
    ['internal_error', 'any other failure', { tenantId: 'acme' }, new Error('the record cannot be read')],
  ])('is the refusal %s for %s', async (serverCode, _case, body, error) => {
    const ask = asking(() => Promise.reject(error));
    expect(await ask(body)).toMatchObject({ ok: false, error: { serverCode } });
  });

  it('is found by its name in the list of services of the broker', () => {
    expect(accessEndpoint(() => Promise.reject(new Error('not asked'))).name).toMatch(/^[a-z-]+$/);
  });
});

describe('what the gateway knows of a creation', () => {
  const attempt = attemptView('awaiting_payment', 'newcomer');

  it.each([
    ['its status', ok({ attempt }), 'awaiting_payment'],
    ['nothing, when no attempt creates the workspace', ok({}), null],
    ['nothing, when the answer is not readable', ok({ attempt: { status: 'awaiting_payment' } }), null],
  ])('is %s', async (_case, answer, status) => {
    const asked: unknown[] = [];
    const endpoint: Endpoint = {
      name: 'attempts',
      subject: attemptRequests.read,
      answer: async (body) => {
        asked.push(body);
        return answer;
      },
    };
    const broker = await serving('provisioning', [endpoint]);
    expect(await attemptStatusOf(broker.connect('operator'))('newcomer')).toBe(status);
    expect(asked).toEqual([{ tenantId: 'newcomer' }]);
  });

  it('is nothing while provisioning does not answer', async () => {
    const broker = await serving('provisioning', []);
    expect(await attemptStatusOf(broker.connect('operator'))('newcomer')).toBeNull();
  });
});
