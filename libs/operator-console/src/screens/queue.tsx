/**
 * The work queue: what waits for a person, most money at risk × age first; filters are in the address, rows are
 * virtual.
 */
import type { WorkCounters, WorkQueuePage } from '@platform/contracts-operator';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { linkTo } from '../address';
import { Empty, Head, Instant, ProblemBox } from '@platform/design-parts';
import { countOfList } from '../mine';
import { kindName, State } from '../parts';
import { emptyWords, joinPages } from '../queue-pages';
import { createOneRead } from '../one-read';
import { problemOf, useChanges, useRead, useSession } from '../session';
import { List, type Rows } from './queue-rows';
import { causeWords } from './case-work';
import { workKinds, workStates } from './words';

type Filters = Readonly<Record<string, string>>;

const pageSize = 50;

/** Pages one after the other, as far as the reader scrolls. */
function useRows(filters: Filters) {
  const { gateway } = useSession();
  const [rows, setRows] = useState<Rows>({ items: [], nextCursor: undefined, problem: null, reading: true });
  const busy = useRef(0);
  const first = useRef(createOneRead()).current;
  const key = JSON.stringify(filters);
  const read = useCallback(
    async (cursor?: string) => {
      const turn = (busy.current += 1);
      if (cursor === undefined) first.begin();
      setRows((before) => ({ ...before, reading: true }));
      const { kind, state, workspace, cause, assignee } = filters;
      const answer = await gateway.read<WorkQueuePage>('/api/saas/work-queue', {
        kind,
        state,
        tenantId: workspace,
        cause,
        assignee,
        limit: pageSize,
        cursor,
      });
      if (turn !== busy.current) return;
      setRows((before) =>
        answer.kind === 'answered'
          ? {
              items: cursor ? joinPages(before.items, answer.body.items) : answer.body.items,
              count: countOfList(answer.body.total, answer.body.onlyLast),
              nextCursor: answer.body.nextCursor,
              problem: null,
              reading: false,
            }
          : { ...before, problem: problemOf(answer), reading: false },
      );
      if (cursor === undefined && first.end()) void read();
    },
    [gateway, key],
  );
  useEffect(() => {
    setRows({ items: [], nextCursor: undefined, problem: null, reading: true });
    void read();
  }, [read]);
  return {
    rows,
    again: () => first.ask(() => void read()),
    // After a failure only a person, or a change, asks again.
    more: () => rows.nextCursor !== undefined && !rows.reading && !rows.problem && void read(rows.nextCursor),
  };
}

function tally(counters: WorkCounters | null, which: Partial<Record<'kind' | 'state', string>>): number | null {
  if (!counters) return null;
  return counters.counts
    .filter(({ kind, state }) => (which.kind ?? kind) === kind && (which.state ?? state) === state)
    .reduce((sum, { count }) => sum + count, 0);
}

const number = new Intl.NumberFormat('en');

function Tallies({ counters, filters }: { counters: WorkCounters | null; filters: Filters }) {
  const { kind, state } = filters;
  const shown = (count: number | null) => (count === null ? '…' : number.format(count));
  return (
    <div class="tallies">
      <nav aria-label="By state" class="strip">
        <a
          href={linkTo(['queue'], { ...filters, state: undefined })}
          aria-current={state === undefined ? 'true' : undefined}
        >
          <b data-count="total">{shown(tally(counters, { kind }))}</b> All
        </a>
        {workStates.map((each) => (
          <a
            key={each}
            href={linkTo(['queue'], { ...filters, state: each })}
            aria-current={state === each ? 'true' : undefined}
          >
            <b data-count={each}>{shown(tally(counters, { kind, state: each }))}</b> <State state={each} />
          </a>
        ))}
      </nav>
      <nav aria-label="By kind" class="chips">
        <a
          href={linkTo(['queue'], { ...filters, kind: undefined })}
          aria-current={kind === undefined ? 'true' : undefined}
        >
          Every kind
        </a>
        {workKinds.map((each) => (
          <a
            key={each}
            href={linkTo(['queue'], { ...filters, kind: each })}
            aria-current={kind === each ? 'true' : undefined}
          >
            {kindName(each)} <b>{shown(tally(counters, { kind: each, state }))}</b>
          </a>
        ))}
      </nav>
    </div>
  );
}

/** Says when the queue may be incomplete: an owner was not read yet, or does not answer. */
function Freshness({ counters }: { counters: WorkCounters | null }) {
  const old = counters?.sources.filter(({ state }) => state !== 'current') ?? [];
  if (old.length === 0) return null;
  return (
    <div class="notice" role="status">
      {old.map(({ source, state, walkedAt, problem }) => (
        <p key={source}>
          {kindName(source)}s:{' '}
          {state === 'reading' ? (
            'being read for the first time; rows may be missing.'
          ) : (
            <>
              the owner cannot be read{problem && ` (${problem})`}; rows are as of{' '}
              {walkedAt ? <Instant at={walkedAt} /> : 'earlier'}.
            </>
          )}
        </p>
      ))}
    </div>
  );
}

/** The current filters, with a link that removes them. */
function Narrowed({ filters, count }: { filters: Filters; count: string | undefined }) {
  const { workspace, cause, assignee } = filters;
  const said = [
    workspace !== undefined && `workspace ${workspace}`,
    cause !== undefined && causeWords(cause),
    assignee !== undefined && `cases of ${assignee}`,
  ].filter((each) => each !== false);
  if (said.length === 0) return <>Everything unresolved, most money at risk × age first.</>;
  const every = { workspace: undefined, cause: undefined, assignee: undefined };
  return (
    <>
      Only <b>{said.join(', ')}</b>
      {count !== undefined && <>: {count}</>}. <a href={linkTo(['queue'], { ...filters, ...every })}>Show all</a>
    </>
  );
}

function NothingHere({ filtered, counters }: { filtered: boolean; counters: WorkCounters | null }) {
  const { title, text } = emptyWords(counters);
  return <Empty title={title}>{filtered ? <a href={linkTo(['queue'])}>Show the whole queue</a> : text}</Empty>;
}

export function QueueScreen({ filters }: { filters: Filters }) {
  const counters = useRead<WorkCounters>('/api/saas/work-queue/counters');
  const { rows, again, more } = useRows(filters);
  const [waiting, setWaiting] = useState(false);
  useChanges(
    () => true,
    () => {
      counters.again();
      // For a reader further down nothing moves: the first page is renewed in place.
      if (rows.items.length <= pageSize) again();
      else setWaiting(true);
    },
  );
  useEffect(() => setWaiting(false), [filters]);
  const { workspace, cause, assignee } = filters;
  const { who } = useSession();
  const counted = workspace === undefined && cause === undefined && assignee === undefined;
  return (
    <section class="queue">
      <Head title="Work queue" note={<Narrowed filters={filters} count={rows.count} />}>
        {cause !== undefined && (
          <a class="button" href={linkTo(['incident'], { cause })}>
            Work on these together
          </a>
        )}
        {assignee === undefined && (
          <a class="button" href={linkTo(['queue'], { ...filters, assignee: who })}>
            Mine
          </a>
        )}
        {waiting && (
          <button
            type="button"
            onClick={() => {
              setWaiting(false);
              again();
            }}
          >
            Show what changed
          </button>
        )}
      </Head>
      {counted && <Tallies counters={counters.data} filters={filters} />}
      <Freshness counters={counters.data} />
      {counters.problem && !rows.problem && <ProblemBox problem={counters.problem} again={counters.again} />}
      {rows.problem && <ProblemBox problem={rows.problem} again={again} />}
      {rows.items.length === 0 && !rows.reading && !rows.problem && (
        <NothingHere filtered={Object.keys(filters).length > 0} counters={counters.data} />
      )}
      {rows.items.length > 0 && <List rows={rows} more={more} counters={counters.data} />}
      {rows.items.length === 0 && rows.reading && (
        <p class="quiet reading" role="status">
          Reading …
        </p>
      )}
    </section>
  );
}
