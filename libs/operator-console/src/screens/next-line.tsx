/** One line on every screen: what must be done next, by the order of the work queue, and the person's own cases. */
import type { WorkQueuePage } from '@platform/contracts-operator';
import { useEffect, useState } from 'preact/hooks';
import { title } from '@platform/design-parts';
import { linkTo, linkToCase } from '../address';
import { countOfMine } from '../mine';
import { Amount } from '../parts';
import { useChanges, useRead, useSession } from '../session';

/** A delay, so that the screen's own requests come first. */
const afterMs = 400;

export function NextLine() {
  const [shown, setShown] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), afterMs);
    return () => clearTimeout(timer);
  }, []);
  return shown ? <Next /> : <p class="next-line">…</p>;
}

function Next() {
  const { who } = useSession();
  const first = useRead<WorkQueuePage>('/api/saas/work-queue', { state: 'stopped', limit: 1 });
  const mine = useRead<WorkQueuePage>('/api/saas/work-queue', { assignee: who, limit: 1 });
  useChanges(
    () => true,
    () => {
      first.again();
      mine.again();
    },
    2_000,
  );
  const next = first.data?.items[0];
  return (
    <p class="next-line">
      <span>
        {first.problem ? (
          'The next task is not known: the work queue does not answer.'
        ) : next ? (
          <>
            <b>Next:</b>{' '}
            <a href={linkToCase(next.kind, next.id)}>
              {title(next.title)}
              {next.tenantId !== null && `, ${next.tenantId}`}
            </a>
            {next.money && (
              <>
                , <Amount money={next.money} /> at risk
              </>
            )}
            {next.work?.assignee ? `, with ${next.work.assignee}` : ', with no person'}
          </>
        ) : first.data ? (
          'No stopped work is known.'
        ) : (
          '…'
        )}
      </span>
      <Mine who={who} page={mine.data} unknown={mine.problem !== null} />
    </p>
  );
}

/** `unknown`: the list was not answered, which is not the same as an empty one. */
function Mine({ who, page, unknown }: { who: string; page: WorkQueuePage | null; unknown: boolean }) {
  if (unknown) return <span class="mine">Which cases are yours is not known.</span>;
  if (!page?.total) return null;
  return (
    <a class="mine" href={linkTo(['queue'], { assignee: who })}>
      {countOfMine(page.total, page.onlyLast)}
    </a>
  );
}
