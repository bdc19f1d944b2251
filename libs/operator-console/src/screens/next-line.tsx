/** One line on every screen: what must be done next, by the order of the work queue, and the person's own cases. */
import type { WorkQueuePage } from '@platform/contracts-operator';
import { useEffect, useState } from 'preact/hooks';
import { title } from '@platform/design-parts';
import { linkTo, linkToCase } from '../address';
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
  const mine = useRead<WorkQueuePage>('/api/saas/work-queue', { assignee: who, limit: 100 });
  useChanges(
    () => true,
    () => {
      first.again();
      mine.again();
    },
    2_000,
  );
  const next = first.data?.items[0];
  const having = mine.data?.items.length ?? 0;
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
          'Nothing has stopped.'
        ) : (
          '…'
        )}
      </span>
      {having > 0 && (
        <a class="mine" href={linkTo(['queue'], { assignee: who })}>
          {having === 1 ? '1 case is yours' : `${having} cases are yours`}
        </a>
      )}
    </p>
  );
}
