/**
 * A case: the two questions, the next step, then the evidence side by side. Nothing on this page runs, repeats or forces
 * anything; what a person may record stands as a command line.
 */
import type { CaseExport, CaseView } from '@platform/contracts-operator';
import { useState } from 'preact/hooks';
import { linkTo, linkToCase } from '../address';
import { Amount, CommandLine, Empty, Head, Id, Instant, kindName, Shown, Status, title } from '../parts';
import { problemOf, useChanges, useRead, useSession } from '../session';
import { Calls, Deliveries, Executors, Facts, ProviderObjects, Timeline } from './case-parts';

const moneyWords = {
  moved: 'Money moved',
  did_not_move: 'Money did not move',
  not_known: 'Not known whether it took effect',
  no_money: 'No money is moved by this',
} as const;
const runningWords = {
  yes: 'It may still run',
  no: 'Nothing runs',
  not_proven: 'Not proven that nothing runs',
} as const;
const tones = {
  moved: 'known',
  did_not_move: 'known',
  no_money: 'known',
  not_known: 'open',
  yes: 'open',
  no: 'known',
  not_proven: 'open',
} as const;
const adviceWords = {
  nothing: 'Nothing to do',
  repeat: 'May be repeated',
  wait: 'Wait',
  investigate: 'Investigate',
} as const;

function Verdict({
  question,
  answer,
  because,
  tone,
}: {
  question: string;
  answer: string;
  because: string;
  tone: 'known' | 'open';
}) {
  return (
    <div class={`verdict verdict-${tone}`}>
      <span class="question">{question}</span>
      <strong>{answer}</strong>
      <p>{because}</p>
    </div>
  );
}

function Export({ kind, id }: { kind: string; id: string }) {
  const { gateway } = useSession();
  const [said, setSaid] = useState('');
  const save = async () => {
    setSaid('Collecting …');
    const answer = await gateway.read<CaseExport>(`/api/saas/cases/${encodeURIComponent(kind)}/export`, { id });
    if (answer.kind !== 'answered') return setSaid(problemOf(answer)?.detail ?? problemOf(answer)?.title ?? '');
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([JSON.stringify(answer.body, null, 2)], { type: 'application/json' }));
    link.download = `case-${kind}-${id.replaceAll(/[^A-Za-z0-9._-]/g, '_')}.json`;
    link.click();
    URL.revokeObjectURL(link.href);
    return setSaid(`Signed with key ${answer.body.signature.keyId}.`);
  };
  return (
    <>
      <span class="quiet" role="status">
        {said}
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

function Body({ view, again, reading }: { view: CaseView; again: () => void; reading: boolean }) {
  const { verdict, next } = view;
  return (
    <>
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
      <dl class="summary">
        <div>
          <dt>Workspace</dt>
          <dd>{view.tenantId === null ? '–' : <a href={linkTo(['workspaces', view.tenantId])}>{view.tenantId}</a>}</dd>
        </div>
        <div>
          <dt>At risk</dt>
          <dd>
            <Amount money={view.money} />
          </dd>
        </div>
        <div>
          <dt>Collected</dt>
          <dd>
            <Instant at={view.collectedAt} />
          </dd>
        </div>
      </dl>
      <div class="verdicts">
        <Verdict
          question="Did money move?"
          answer={moneyWords[verdict.money.answer]}
          because={verdict.money.because}
          tone={tones[verdict.money.answer]}
        />
        <Verdict
          question="May anything still run?"
          answer={runningWords[verdict.running.answer]}
          because={verdict.running.because}
          tone={tones[verdict.running.answer]}
        />
        <div class={`verdict next advice-${next.advice}`}>
          <span class="question">Next step</span>
          <strong>{adviceWords[next.advice]}</strong>
          <p>{next.text}</p>
        </div>
      </div>
      {view.notProven.length > 0 && (
        <section class="not-proven" aria-labelledby="not-proven">
          <h2 id="not-proven">What is not proven</h2>
          <ul>
            {view.notProven.map((each) => (
              <li key={each}>{each}</li>
            ))}
          </ul>
        </section>
      )}
      <Sides view={view} />
      {view.deliveries.length > 0 && <Deliveries view={view} />}
      <div class="halves">
        <section aria-labelledby="timeline">
          <h2 id="timeline">Timeline</h2>
          <Timeline events={view.timeline} />
        </section>
        <section aria-labelledby="commands">
          <h2 id="commands">Off-line commands</h2>
          <p class="note">
            The console resolves nothing. A resolution needs both proofs, database credentials, and your name.
          </p>
          {view.commands.map((command) => (
            <CommandLine key={command.line} {...command} />
          ))}
          {view.kind === 'migration' && (
            <p>
              <a href={linkTo(['migrations', view.id])}>Progress and outcomes of every workspace</a>
            </p>
          )}
          {view.kind === 'migration_item' && (
            <p>
              <a href={linkToCase('migration', view.id.slice(0, view.id.indexOf(':')))}>
                The migration that this belongs to
              </a>
            </p>
          )}
          {view.kind === 'webhook_event' &&
            view.tenantId !== null &&
            view.intent.some(({ label, value }) => label === 'owner' && value === 'provisioning') && (
              <p>
                <a href={linkToCase('provisioning_attempt', view.tenantId)}>The creation behind this event</a>
              </p>
            )}
          {view.kind === 'delivery' && (
            <p>
              <a
                href={linkToCase(
                  view.id.startsWith('workspace-created:') ? 'provisioning_attempt' : 'operation',
                  view.id.startsWith('workspace-created:')
                    ? (view.tenantId ?? '')
                    : view.id.slice(0, view.id.lastIndexOf('/')),
                )}
              >
                The case that this delivery belongs to
              </a>
            </p>
          )}
        </section>
      </div>
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
  return (
    <section class="case">
      {reading.data === null && <Head title={`${kindName(kind)} ${id}`} />}
      {reading.problem?.code === 'not_found' ? (
        <Empty title={`There is no ${kindName(kind).toLowerCase()} ${id}.`}>
          <a href={linkTo(['queue'])}>Back to the work queue</a>
        </Empty>
      ) : (
        <Shown reading={reading}>
          {(view) => <Body view={view} again={reading.again} reading={reading.reading} />}
        </Shown>
      )}
    </section>
  );
}
