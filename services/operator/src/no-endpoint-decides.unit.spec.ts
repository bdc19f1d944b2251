/**
 * Specification §1.4, by every route of the gateway: an operation with an unknown outcome does not change, and no call
 * of it is sent again, whatever a platform owner requests over HTTP, even with every field of a resolution in the body.
 */
import type { ProposalView } from '@platform/contracts-operator';
import type { Route } from '@platform/http-server';
import { createTestGateway } from './testing/test-gateway';
import { credit, post, setStage } from './testing/stage';
import { tenant } from './testing/operator-world';

const resolution = {
  outcome: 'applied',
  providerObject: 'cbtxn_1',
  executorStopped: 'its host was reinstalled',
  by: 'owner@example.com',
  status: 'succeeded',
  ...{ force: true, replay: true, resolve: true, yes: true },
};

/** A proposal that a person might mistake for a decision. */
const proposal = { ...resolution, kind: 'operation', id: credit.operationId };
const wholeProposal = {
  kind: 'operation',
  id: credit.operationId,
  outcome: 'applied',
  providerObject: 'cbtxn_1',
  executorStopped: 'its host was reinstalled',
  override: 'we want it to be done with',
};

/** Bodies that a route may accept: the first request's, the fields of a resolution, both, and proposals. */
const bodies = [
  credit,
  resolution,
  { ...credit, ...resolution },
  { operationId: credit.operationId },
  proposal,
  wholeProposal,
];

async function stopped() {
  const stage = await setStage();
  stage.world.provider.failNext('timeout_after_effect');
  expect((await post(stage, 'balance-credit', credit)).status).toBe(502);
  const routes: Route[] = [];
  const gateway = createTestGateway(stage.world, stage.life, undefined, (served) => {
    routes.push(...served);
    return served;
  });
  return { ...stage, gateway, routes };
}

const addressed = (path: string): string =>
  path.replaceAll(/:(\w+)/g, (_all, name: string) =>
    /operation/i.test(name)
      ? credit.operationId
      : name === 'kind'
        ? 'operation'
        : /tenant|workspace/i.test(name)
          ? tenant
          : 'pro',
  );

describe('an operation whose outcome is not known', () => {
  it('is not ended, and not sent again, by any route', async () => {
    const { world, gateway, routes } = await stopped();
    const own = () => world.operations().find(({ _id }) => _id === credit.operationId);
    const sent = () => world.provider.sends().filter(({ operationId }) => operationId === credit.operationId).length;
    const [record, sends] = [own(), sent()];
    expect(record?.status).toBe('reconciliation_required');
    expect(routes.length).toBeGreaterThan(25);
    expect(routes.filter(({ path }) => path.includes(':operationId')).length).toBeGreaterThan(1);
    for (const { method, path } of routes)
      for (const body of method === 'GET' ? [undefined] : bodies) {
        const answer = await gateway.request(method, addressed(path), {
          role: 'platform_owner',
          ...(body && { body }),
        });
        expect([method, path, own(), sent()]).toEqual([method, path, record, sends]);
        if (body === resolution) expect([method, path, answer.status >= 400]).toEqual([method, path, true]);
      }
  });

  it('is not ended by a proposal that another person approves', async () => {
    const { world, gateway } = await stopped();
    const own = () => world.operations().find(({ _id }) => _id === credit.operationId);
    const before = own();
    const proposed = await gateway.request('POST', '/api/saas/proposals', { body: wholeProposal });
    expect(proposed.status).toBe(201);
    const { digest, proposal: signed } = proposed.json<ProposalView>();
    const path = `/api/saas/proposals/${signed.statement.proposalId}/approval`;
    const approved = await gateway.request('POST', path, { email: 'ben@example.com', body: { proposal: digest } });
    expect([approved.status, own()]).toEqual([200, before]);
  });
});
