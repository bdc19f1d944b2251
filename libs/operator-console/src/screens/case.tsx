/**
 * A case: the two questions, the next step, then the evidence side by side. Nothing on this page runs, repeats or
 * forces anything; what a person may record is shown as a command line.
 */
import type { CaseExport, CaseView } from '@platform/contracts-operator';
import { useState } from 'preact/hooks';
import { linkTo } from '../address';
import { Empty, Fact, Head, Id, Instant, Shown, title } from '@platform/design-parts';
import { Amount, kindName, Status } from '../parts';
import { problemText } from '@platform/design-parts/requests';
import { problemOf, useChanges, useRead, useReadAgain, useSession } from '../session';
import { Commands } from './case-commands';
import { Calls, Deliveries, Executors, Facts, ProviderObjects, Timeline } from './case-parts';
import { proposedRecords, Proposals } from './case-proposals';
import { NotProven, Verdicts } from './case-verdict';

function Export({ kind, id }: { kind: string; id: string }) {
  const { gateway } = useSession();
  const [message, setMessage] = useState('');
  const save = async () => {
    setMessage('Collecting …');
    const answer = await gateway.read<CaseExport>(`/api/saas/cases/${encodeURIComponent(kind)}/export`, { id });
    const problem = problemOf(answer);
    if (answer.kind !== 'answered') return setMessage(problem ? problemText(problem) : '');
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([JSON.stringify(answer.body, null, 2)], { type: 'application/json' }));
    link.download = `case-${kind}-${id.replaceAll(/[^A-Za-z0-9._-]/g, '_')}.json`;
    link.click();
    URL.revokeObjectURL(link.href);
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
      <button type="button" onClick={again} disabled={reading}>
        {reading ? 'Reading …' : 'Read again'}
      </button>
      <Export kind={view.kind} id={view.id} />
    </Head>
  );
}

function Body({ view, again }: { view: CaseView; again: () => void }) {
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
      {proposedRecords(view).map((record) => (
        <Proposals key={record.kind} of={record} changed={again} />
      ))}
    </>
  );
}

export function CaseScreen({ kind, id }: { kind: string; id: string }) {
  const reading = useRead<CaseView>(`/api/saas/cases/${encodeURIComponent(kind)}`, { id });
  useChanges(
    (data) =>
      data['id'] === id ||
      (typeof data['id'] === 'string' && (data['id'].startsWith(`${id}/`) || data['id'].startsWith(`${id}:`))),
    reading.again,
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
              <Title view={view} again={reading.again} reading={reading.reading} />
              <Body view={view} again={reading.again} />
            </>
          )}
        </Shown>
      )}
    </section>
  );
}
