/** Produces each refusal of the work on cases, for the suite that covers every code of the gateway. */
import { caseWorkLimits } from '@platform/contracts-operator';
import { setStage, type Stage } from '../../testing/stage';
import { caseWorkCollection } from '../store/case-work';

const open = { kind: 'operation' as const, itemId: 'op-00000001' };

async function adding(entries: number, body: object) {
  const stage: Stage = await setStage();
  const by = { at: stage.world.clock.now(), by: 'ann@example.com', what: 'note' as const, text: 'seen' };
  await stage.world.store.collection(caseWorkCollection).insert({
    ...{ _id: `${open.kind}:${open.itemId}`, ...open, state: 'new', assignee: 'ann@example.com' },
    entries: Array.from({ length: entries }, (_, at) => ({ ...by, entryId: `entry-${at}-0000` })),
  });
  const answer = await stage.gateway.request('POST', `/api/saas/cases/operation/work?id=${open.itemId}`, { body });
  return { status: answer.status, body: answer.json<Record<string, unknown>>() };
}

export const caseWorkRefusals = {
  case_assigned: () =>
    adding(1, { what: 'assigned', entryId: 'entry-take-01', from: null, to: 'platform_owner@example.com' }),
  case_work_full: () => adding(caseWorkLimits.entries, { what: 'note', entryId: 'entry-more-01', text: 'one more' }),
};
