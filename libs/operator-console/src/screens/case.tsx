/**
 * A case: the two questions, the next step, then the evidence side by side. Nothing on this page runs, repeats or
 * forces anything; what a person may record is shown as a command line.
 */
import type { CaseExport, CaseView, CaseWorkView } from '@platform/contracts-operator';
import { useState } from 'preact/hooks';
import { linkTo } from '../address';
import { Empty, Fact, Head, Id, Instant, Shown, title, type Reading } from '@platform/design-parts';
import { Amount, kindName, Status } from '../parts';
import { problemText } from '@platform/design-parts/requests';
import { saveAs } from '@platform/design-parts';
import { problemOf, useChanges, useRead, useReadAgain, useSession } from '../session';
import { Commands } from './case-commands';
import { Calls, Deliveries, Executors, Facts, ProviderObjects, Timeline } from './case-parts';
import { proposedRecords, Proposals } from './case-proposals';
import { WorkEntries, WorkLine } from './case-work';
import { Related } from './related';
import { NotProven, Verdicts } from './case-verdict';

function Export({ kind, id }: { kind: string; id: string }) {
  const { gateway } = useSession();
  const [message, setMessage] = useState('');
  const save = async () => {
    setMessage('Collecting …');
    const answer = await gateway.read<CaseExport>(`/api/saas/cases/${encodeURIComponent(kind)}/export`, { id });
    const problem = problemOf(answer);
    if (answer.kind !== 'answered') return setMessage(problem ? problemText(problem) : '');
    saveAs(`case-${kind}-${id}.json`, JSON.stringify(answer.body, null, 2));
    return setMessage(`Signed with key ${answer.body.signature.keyId}.`);
  };
  return (
    <>
      <span class="quiet" role="status">
        {message}
      </span>
      <button type="button" onClick={() => void save()}>
        Export signed case
      </button>
    </>
  );
}

function Sides({ view }: { view: CaseView }) {
  return (
    <div class="sides">
      <section aria-labelledby="side-intent">
        <h2 id="side-intent">What was meant</h2>
        <Facts view={view} />
      </section>
      <section aria-labelledby="side-sent">
        <h2 id="side-sent">What was sent</h2>
        <Calls view={view} />
      </section>
      <section aria-labelledby="side-provider">
        <h2 id="side-provider">What the provider shows now</h2>
        <ProviderObjects view={view} />
      </section>
      <section aria-labelledby="side-quiet">
        <h2 id="side-quiet">Is the executor quiet</h2>
        <Executors view={view} />
      </section>
    </div>
  );
}

function Title({ view, again, reading }: { view: CaseView; again: () => void; reading: boolean }) {
  return (
    <Head
      title={title(view.title)}
      note={
        <>
          {kindName(view.kind)} <Id>{view.id}</Id> <Status status={view.status} /> since{' '}
          <Instant at={view.since} both />
        </>
      }
    >
      <button type="button" onClick={again}>
        {reading ? 'Reading …' : 'Read again'}
      </button>
      <Export kind={view.kind} id={view.id} />
    </Head>
  );
}

function Body({ view, again, work }: { view: CaseView; again: () => void; work: Reading<CaseWorkView> }) {
  const about = { kind: view.kind, id: view.id };
  return (
    <>
      <dl class="summary">
        <Fact name="Workspace">
          {view.tenantId === null ? '–' : <a href={linkTo(['workspaces', view.tenantId])}>{view.tenantId}</a>}
        </Fact>
        <Fact name="At risk">
          <Amount money={view.money} />
        </Fact>
        <Fact name="Collected">
          <Instant at={view.collectedAt} />
        </Fact>
      </dl>
      <WorkLine {...about} reading={work} />
      <Verdicts verdict={view.verdict} next={view.next} />
      {view.notProven.length > 0 && <NotProven notProven={view.notProven} />}
      <Sides view={view} />
      {view.deliveries.length > 0 && <Deliveries view={view} />}
      <div class="halves">
        <section aria-labelledby="timeline">
          <h2 id="timeline">Timeline</h2>
          <Timeline events={view.timeline} />
        </section>
        <Commands view={view} />
      </div>
      <div class="halves">
        <WorkEntries {...about} reading={work} />
        {view.open && work.data && <Related {...about} tenantId={view.tenantId} cause={work.data.cause} />}
      </div>
      {proposedRecords(view).map((record) => (
        <Proposals key={record.kind} of={record} changed={again} />
      ))}
    </>
  );
}

export function CaseScreen({ kind, id }: { kind: string; id: string }) {
  const reading = useRead<CaseView>(`/api/saas/cases/${encodeURIComponent(kind)}`, { id });
  const work = useRead<CaseWorkView>(`/api/saas/cases/${encodeURIComponent(kind)}/work`, { id });
  const again = () => {
    reading.again();
    work.again();
  };
  useChanges(
    (data) =>
      data['id'] === id ||
      (typeof data['id'] === 'string' && (data['id'].startsWith(`${id}/`) || data['id'].startsWith(`${id}:`))),
    again,
    1_000,
  );
  useReadAgain(reading, ({ verdict }) => verdict.running.answer === 'yes');
  return (
    <section class="case">
      {reading.data === null && <Head title={`${kindName(kind)} ${id}`} />}
      {reading.problem?.code === 'not_found' ? (
        <Empty title={`There is no ${kindName(kind).toLowerCase()} ${id}.`}>
          <a href={linkTo(['queue'])}>Back to the work queue</a>
        </Empty>
      ) : (
        <Shown reading={reading}>
          {(view) => (
            <>
              <Title view={view} again={again} reading={reading.reading} />
              <Body view={view} again={again} work={work} />
            </>
          )}
        </Shown>
      )}
    </section>
  );
}
