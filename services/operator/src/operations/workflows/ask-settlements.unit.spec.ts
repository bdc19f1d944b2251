/** A settlement that the broker lost arrives although no process would send the operation's message again by itself. */
import { lifecycleRequests, lifecycleSubjects, type InspectAccepted } from '@platform/contracts-lifecycle-delivery';
import { ok, refused } from '@platform/kernel';
import type { OutboundMessage } from '@platform/messaging';
import { bootOperator, createOperatorWorld, tenant } from '../../testing/operator-world';
import { settlementQuestions, type SettlementPorts } from './ask-settlements';
import { runOperation } from './run-operation';

/** A gateway whose suspension awaits receipts, and a delivery that knows what `settled` says. */
async function suspended(settled: boolean | 'unknown' | 'no answer') {
  const world = await createOperatorWorld();
  const { ports } = bootOperator(world, 1);
  const request = {
    operationId: 'op-settle-1',
    tenantId: tenant,
    action: 'suspend',
    values: {},
    actor: { id: 'owner' },
  } as const;
  await runOperation(ports, request);
  const said: OutboundMessage[] = [];
  const asked: InspectAccepted[] = [];
  const messaging: SettlementPorts['messaging'] = {
    async request(subject, body) {
      expect(subject).toBe(lifecycleRequests.accepted);
      asked.push(body as InspectAccepted);
      if (settled === 'no answer') return refused({ code: 'no_responders', message: 'no process serves it' });
      return ok({ accepted: settled === 'unknown' ? [] : [{ operationId: 'op-settle-1', settled }] });
    },
    async publish(message) {
      said.push(message);
      return 'acknowledged';
    },
  };
  return { said, asked, ask: settlementQuestions({ ...ports, messaging }) };
}

describe('settlements that have not come', () => {
  it('are asked for by the message itself when delivery has settled it', async () => {
    const { said, asked, ask } = await suspended(true);
    expect(await ask()).toBe(1);
    expect(asked).toEqual([{ messages: [{ operationId: 'op-settle-1', tenantId: tenant, transition: 'suspended' }] }]);
    expect(said).toMatchObject([{ subject: lifecycleSubjects.message('suspended'), id: 'lifecycle:op-settle-1' }]);
  });

  it.each([[false], ['unknown'], ['no answer']] as const)('are waited for otherwise: %s', async (settled) => {
    const { said, ask } = await suspended(settled);
    expect(await ask()).toBe(0);
    expect(said).toEqual([]);
  });
});
