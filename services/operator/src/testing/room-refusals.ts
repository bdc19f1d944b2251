/** Produces the refusals of single areas, for the suite that covers every code. */
import { caseWorkRefusals } from '../casework/testing/case-work-refusals';
import { refused } from '@platform/kernel';
import { signInRefusals } from '../sign-in/testing/sign-in-refusals';
import { createTestGateway } from './test-gateway';
import { base, setStage } from './stage';

export const roomRefusals = {
  ...signInRefusals,
  ...caseWorkRefusals,
  consumer_action_refused: async () => {
    const { world, life } = await setStage();
    const refusal = { code: 'refused', serverCode: 'consumer_paused', message: 'it is paused' } as const;
    const delivery = createTestGateway(world, life, { request: async () => refused(refusal) });
    const body = { requestId: 'test-1', action: 'test', reason: 'a look' };
    const answer = await delivery.request('POST', '/api/saas/lifecycle/consumers/storage/actions', { body });
    return { status: answer.status, body: answer.json<Record<string, unknown>>() };
  },
  no_pending_end: async () => {
    const { gateway } = await setStage();
    const body = { operationId: 'op-keep-000001' };
    const answer = await gateway.request('DELETE', `${base}/cancellation`, { role: 'user', body });
    return { status: answer.status, body: answer.json<Record<string, unknown>>() };
  },
};
