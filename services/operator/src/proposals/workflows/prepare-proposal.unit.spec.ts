/** Proposals about records of other services: the owner's judgement is signed unchanged, or there is no signature. */
import { judgedRequests, type JudgedResolution } from '@platform/contracts-provisioning';
import { createSequentialIds, ok, refused, signingKeyOf } from '@platform/kernel';
import type { Messaging } from '@platform/messaging';
import { planMigrationItemsCollection } from '../../migrations/store/plan-migration-items';
import { planMigrationsCollection } from '../../migrations/store/plan-migrations';
import { bootOperator, createOperatorWorld } from '../../testing/operator-world';
import { proposalsCollection } from '../store/proposals';
import { prepareProposal } from './prepare-proposal';

const key = signingKeyOf('a secret of the gateway that is long enough');
const ann = { id: 'ann', email: 'ann@example.com' };
const judged: JudgedResolution = {
  tenantId: 'acme',
  revision: 'r-7',
  evidence: { shown: 'f'.repeat(64), objects: ['in_1'], statements: ['pay_invoice: found invoice in_1.'] },
  consequences: ['The attempt becomes committed.'],
};

async function prepare(answer: Awaited<ReturnType<Messaging['request']>>, change: object = {}) {
  const world = await createOperatorWorld();
  const asked: unknown[] = [];
  const proposals = world.store.collection(proposalsCollection);
  const prepared = await prepareProposal(
    {
      ...bootOperator(world, 1).ports,
      items: world.store.collection(planMigrationItemsCollection),
      migrations: world.store.collection(planMigrationsCollection),
      messaging: { request: async (subject, body) => (asked.push({ subject, body }), answer) },
      proposals,
      ids: createSequentialIds(3),
      key,
    },
    {
      kind: 'provisioning_attempt',
      id: 'acme',
      executorStopped: 'its host was shut down',
      outcome: 'applied',
      providerObject: 'in_1',
      ...change,
    },
    ann,
  );
  return { asked, prepared, stored: proposals.all() };
}

describe('a proposal about a record of another service', () => {
  it('is signed as its owner judges it', async () => {
    const { asked, prepared, stored } = await prepare(ok({ judged }));
    expect(asked).toMatchObject([
      { subject: judgedRequests.provisioning_attempt, body: { id: 'acme', by: ann.email, providerObject: 'in_1' } },
    ]);
    expect(prepared).toMatchObject({
      ok: true,
      value: { statement: { ...judged, kind: 'provisioning_attempt', itemId: 'acme', proposedBy: ann } },
    });
    expect(stored).toHaveLength(1);
    expect(key.verifies(stored[0]!.statement, stored[0]!.signature)).toBe(true);
  });

  it('names the contradiction that two people would override, and no override where nothing contradicts', async () => {
    const override = 'the provider wrote that it is void';
    const insisting = await prepare(ok({ judged: { ...judged, contradiction: 'resolution_contradicted: x' } }), {
      override,
    });
    expect(insisting.stored[0]?.statement.override).toEqual({
      reason: override,
      contradiction: 'resolution_contradicted: x',
    });
    const needless = await prepare(ok({ judged }), { override });
    expect(needless.stored[0]?.statement).not.toHaveProperty('override');
  });

  it.each([
    ['refuses it', ok({ refused: 'resolution_contradicted: the provider shows it' }), 'resolution_contradicted: the'],
    ['does not answer', refused({ code: 'timeout' as const, message: 'late' }), 'evidence_unavailable: '],
    ['answers something else', ok({ attempt: {} }), 'evidence_unavailable: '],
  ])('is not prepared where its owner %s', async (_what, answer, text) => {
    const { prepared, stored } = await prepare(answer);
    expect(prepared).toMatchObject({ ok: false, error: expect.stringContaining(text) });
    expect(stored).toEqual([]);
  });
});
