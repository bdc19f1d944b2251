/** A person's cases: every unresolved one is reached, each once, and their number is that of all of them. */
import { caseWorkLimits, type WorkQueuePage } from '@platform/contracts-operator';
import { caseWorkCollection } from '../../casework/store/case-work';
import { firstWork } from '../../casework/domain/case-work';
import { setStage, type Stage } from '../../testing/stage';
import { workItemOf } from '../domain/work-item';
import { workItemsCollection } from '../store/work-items';
import { queueStart, workFacts } from '../testing/work-queue-world';

const ann = 'ann@example.com';
const idOf = (at: number) => `op-${String(at).padStart(8, '0')}`;

/** Cases of ann, worked on in their order; `open` says which of them are unresolved, with different money at risk. */
async function stageWithCases(count: number, open: (at: number) => boolean): Promise<Stage> {
  const stage = await setStage();
  const { store, clock } = stage.world;
  const [work, items] = [store.collection(caseWorkCollection), store.collection(workItemsCollection)];
  for (let at = 0; at < count; at += 1) {
    await work.insert({ ...firstWork(`operation:${idOf(at)}`, 'operation', idOf(at)), assignee: ann });
    if (!open(at)) continue;
    const money = at % 7 === 0 ? null : { amountCents: 100 * (at % 13), currency: 'usd' };
    const facts = workFacts(idOf(at), { money, since: new Date(queueStart + (at % 31) * 60_000) });
    await items.insert(workItemOf(facts, clock.now()));
    clock.advance(1);
  }
  return stage;
}

async function page({ gateway }: Stage, query: string): Promise<WorkQueuePage> {
  const answer = await gateway.request('GET', `/api/saas/work-queue?${query}`, { role: 'viewer' });
  expect(answer.status).toBe(200);
  return answer.json<WorkQueuePage>();
}

async function allPages(stage: Stage, query: string): Promise<WorkQueuePage[]> {
  const pages: WorkQueuePage[] = [];
  let cursor: string | undefined;
  do {
    pages.push(await page(stage, `${query}${cursor === undefined ? '' : `&cursor=${cursor}`}`));
    cursor = pages.at(-1)?.nextCursor;
  } while (cursor !== undefined);
  return pages;
}

describe('the cases of a person', () => {
  it('are reached to the last one, in the order of the whole queue, and each page says how many there are', async () => {
    const stage = await stageWithCases(130, () => true);
    const pages = await allPages(stage, `assignee=${ann}&limit=50`);
    const mine = pages.flatMap(({ items }) => items.map(({ id }) => id));
    const whole = (await allPages(stage, 'limit=100')).flatMap(({ items }) => items.map(({ id }) => id));
    expect(mine).toEqual(whole);
    expect(new Set(mine).size).toBe(130);
    expect(pages.map(({ items, total, onlyLast }) => [items.length, total, onlyLast])).toEqual([
      [50, 130, undefined],
      [50, 130, undefined],
      [30, 130, undefined],
    ]);
    expect(new Set(pages.map(({ asOf }) => asOf)).size).toBe(1);
  });

  it('include an old one behind more than a thousand that have ended', async () => {
    const stage = await stageWithCases(1_205, (at) => at === 0);
    const { items, total, onlyLast } = await page(stage, `assignee=${ann}`);
    expect([items.map(({ id }) => id), total, onlyLast]).toEqual([[idOf(0)], 1, undefined]);
  });

  it('say so when not all that the person worked on were looked through', async () => {
    const stage = await stageWithCases(caseWorkLimits.assignedCases + 1, (at) => at < 3);
    const { items, total, onlyLast } = await page(stage, `assignee=${ann}`);
    expect([items.length, total, onlyLast]).toEqual([2, 2, caseWorkLimits.assignedCases]);
  });

  it('have no number in the list of everything', async () => {
    const stage = await stageWithCases(2, () => true);
    expect(await page(stage, 'limit=1')).not.toHaveProperty('total');
  });
});
