/** Refusals that their own areas produce for the suite of codes. */
import { caseWorkRefusals } from '../casework/testing/case-work-refusals';
import { signInRefusals } from '../sign-in/testing/sign-in-refusals';
import { base, setStage } from './stage';

export const roomRefusals = {
  ...signInRefusals,
  ...caseWorkRefusals,
  no_pending_end: async () => {
    const { gateway } = await setStage();
    const body = { operationId: 'op-keep-000001' };
    const answer = await gateway.request('DELETE', `${base}/cancellation`, { role: 'user', body });
    return { status: answer.status, body: answer.json<Record<string, unknown>>() };
  },
};
