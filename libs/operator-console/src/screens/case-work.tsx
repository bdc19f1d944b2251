/**
 * The assignee of a case, its progress, and people's notes: one line of controls under the title, and the history of
 * entries. It does not change the record; an entry's id is created once, so that a repeat adds nothing.
 */
import type { CaseEntryView, CaseWorkRequest, CaseWorkView } from '@platform/contracts-operator';
import { useRef, useState } from 'preact/hooks';
import {
  Empty,
  Fact,
  Instant,
  Shown,
  useFocusWhenClosed,
  useFocusWhenShown,
  useOneAtATime,
  words,
  type Reading,
} from '@platform/design-parts';
import { leavesOutcomeOpen, problemText } from '@platform/design-parts/requests';
import { linkTo } from '../address';
import { newEntryId } from '../gateway';
import { Status } from '../parts';
import { problemOf, useSession } from '../session';
import { PinnedMoment } from './pinned-moment';
import { caseStateWords } from './words';

type Said = CaseWorkRequest extends infer Entry ? (Entry extends unknown ? Omit<Entry, 'entryId'> : never) : never;
type Add = (entry: Said) => Promise<boolean>;

const mayWorkOnCases = (role: string): boolean => role !== 'viewer';

const caseWorkPath = (kind: string, id: string): string =>
  `/api/saas/cases/${encodeURIComponent(kind)}/work?id=${encodeURIComponent(id)}`;

const notKnown = 'It is not known whether it was recorded. Send it again: what was recorded is not added twice.';

/** Adds entries one at a time; `said` says that one was added, or why not. */
function useAdding(kind: string, id: string, reading: Reading<CaseWorkView>) {
  const { gateway } = useSession();
  const [message, setMessage] = useState('');
  const [failed, setFailed] = useState(false);
  const { run } = useOneAtATime();
  // The same entry keeps its id until its outcome is known. Other words are another entry.
  const open = useRef<{ readonly entry: string; readonly entryId: string } | null>(null);
  const send = async (said: Said): Promise<boolean> => {
    const entry = JSON.stringify(said);
    if (open.current?.entry !== entry) open.current = { entry, entryId: newEntryId(said.what) };
    const { entryId } = open.current;
    const answer = await gateway.send<CaseWorkView>('POST', caseWorkPath(kind, id), { ...said, entryId });
    const problem = problemOf(answer);
    if (!leavesOutcomeOpen(answer)) open.current = null;
    setMessage(open.current ? notKnown : problem ? problemText(problem) : 'Recorded.');
    setFailed(problem !== null);
    reading.again();
    return problem === null;
  };
  const add: Add = async (said) => (await run(() => send(said))) ?? false;
  return { add, said: { class: failed ? 'problem-text' : 'quiet', children: message } };
}

function GiveTo({ from, add, close }: { from: string | null; add: Add; close: () => void }) {
  const [to, setTo] = useState('');
  const address = useFocusWhenShown<HTMLInputElement>();
  const give = async (event: Event) => {
    event.preventDefault();
    if (await add({ what: 'assigned', from, to })) close();
  };
  return (
    <form class="inline" onSubmit={(event) => void give(event)}>
      <input
        ref={address}
        type="email"
        required
        aria-label="E-mail address of the person who takes the case"
        placeholder="person@example.com"
        value={to}
        onInput={(event) => setTo(event.currentTarget.value)}
      />
      <button type="submit" class="small">
        Give
      </button>
      <button type="button" class="small" onClick={close}>
        Cancel
      </button>
    </form>
  );
}

function Assignee({ work, add }: { work: CaseWorkView; add: Add }) {
  const { who } = useSession();
  const [giving, setGiving] = useState(false);
  const giveTo = useFocusWhenClosed<HTMLButtonElement>(giving);
  const { assignee: from } = work;
  const mine = from !== null && from === who.toLowerCase();
  if (giving) return <GiveTo from={from} add={add} close={() => setGiving(false)} />;
  return (
    <>
      {from === null ? (
        <span class="quiet">No person yet</span>
      ) : (
        <a href={linkTo(['queue'], { assignee: from })}>{from}</a>
      )}{' '}
      {/* One button in both states: it keeps the focus when it is pressed. */}
      <button type="button" class="small" onClick={() => void add({ what: 'assigned', from, to: mine ? null : who })}>
        {mine ? 'Give it back' : from === null ? 'Take it' : 'Take it over'}
      </button>
      <button type="button" class="small" ref={giveTo} onClick={() => setGiving(true)}>
        Give to …
      </button>
    </>
  );
}

function StateOfWork({ work, add }: { work: CaseWorkView; add: Add }) {
  const [waiting, setWaiting] = useState(false);
  const [text, setText] = useState('');
  const chosen = useFocusWhenClosed<HTMLSelectElement>(waiting);
  if (work.state === 'proposed' || work.state === 'approved')
    return (
      <>
        <Status status={caseStateWords[work.state]} />{' '}
        <a href="#/" onClick={toProposals}>
          see the proposal
        </a>
      </>
    );
  const wait = async (event: Event) => {
    event.preventDefault();
    if (await add({ what: 'state', state: 'waiting_for', text })) setWaiting(false);
  };
  return (
    <>
      <select
        ref={chosen}
        aria-label="State of the work"
        value={waiting ? 'waiting_for' : work.state}
        onChange={(event) => {
          const state = event.currentTarget.value as 'new' | 'looked_at' | 'waiting_for';
          if (state === 'waiting_for') setWaiting(true);
          else {
            setWaiting(false);
            void add({ what: 'state', state });
          }
        }}
      >
        {(['new', 'looked_at', 'waiting_for'] as const).map((state) => (
          <option key={state} value={state}>
            {caseStateWords[state]}
          </option>
        ))}
      </select>
      {waiting ? (
        <form class="inline" onSubmit={(event) => void wait(event)}>
          <input
            required
            maxLength={2_000}
            aria-label="What is waited for"
            placeholder="What is waited for"
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
          <button type="submit" class="small">
            Save
          </button>
        </form>
      ) : (
        work.waitingFor !== undefined && <span class="quiet">{work.waitingFor}</span>
      )}
    </>
  );
}

function toProposals(event: Event): void {
  event.preventDefault();
  document.querySelector('.proposals')?.scrollIntoView({ block: 'center' });
}

/** The line of controls under the title of a case. */
export function WorkLine({ kind, id, reading }: { kind: string; id: string; reading: Reading<CaseWorkView> }) {
  const { role } = useSession();
  const { add, said } = useAdding(kind, id, reading);
  const work = reading.data;
  if (!work) return null;
  const reader = !mayWorkOnCases(role);
  return (
    <div class="work">
      <dl class="summary">
        <Fact name="Has the case">
          {reader ? (work.assignee ?? <span class="quiet">No person yet</span>) : <Assignee work={work} add={add} />}
        </Fact>
        <Fact name="State of the work">
          {reader ? (
            [caseStateWords[work.state], work.waitingFor].filter(Boolean).join(' ')
          ) : (
            <StateOfWork work={work} add={add} />
          )}
        </Fact>
      </dl>
      <p role="status" {...said} />
    </div>
  );
}

const did = {
  note: () => 'wrote',
  assigned: ({ to }: CaseEntryView) =>
    to === null || to === undefined ? 'gave the case back' : `gave the case to ${to}`,
  state: ({ state = 'new' }: CaseEntryView) => `set: ${caseStateWords[state].toLowerCase()}`,
  pinned: () => 'pinned the evidence',
} as const;

function Entry({ entry, kind, id }: { entry: CaseEntryView; kind: string; id: string }) {
  const { by, what, at, text, to, pin } = entry;
  const said = what === 'assigned' && to === by ? 'took the case' : did[what](entry);
  return (
    <li>
      <p>
        <b>{by}</b> {said} <Instant at={at} />
      </p>
      {text !== undefined && <p class="text">{text}</p>}
      {pin && <PinnedMoment entry={entry} pin={pin} kind={kind} id={id} />}
    </li>
  );
}

/** People's entries, newest first, with the form for the next one. */
export function WorkEntries({ kind, id, reading }: { kind: string; id: string; reading: Reading<CaseWorkView> }) {
  const { role } = useSession();
  const { add, said } = useAdding(kind, id, reading);
  const [text, setText] = useState('');
  // What was typed while the entry was under way is the next one.
  const recorded = () => setText((now) => (now === text ? '' : now));
  const note = async (event: Event) => {
    event.preventDefault();
    if (await add({ what: 'note', text })) recorded();
  };
  const pin = async () => {
    if (await add({ what: 'pinned', ...(text.trim() !== '' && { text }) })) recorded();
  };
  return (
    <section aria-labelledby="work">
      <h2 id="work">What people wrote down</h2>
      {mayWorkOnCases(role) && (
        <form class="note-form" onSubmit={(event) => void note(event)}>
          <label for="note-text" class="unseen">
            Note
          </label>
          <textarea
            id="note-text"
            rows={2}
            maxLength={2_000}
            placeholder="What did you find? Whom did you ask?"
            required
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
          <div class="buttons">
            <button type="submit">Add note</button>
            <button type="button" title="Stores the complete case as it is now" onClick={() => void pin()}>
              Pin the evidence of this moment
            </button>
            <span role="status" {...said} />
          </div>
        </form>
      )}
      <Shown reading={reading}>
        {({ entries }) =>
          entries.length === 0 ? (
            <Empty title="There is no entry yet." />
          ) : (
            <ul class="entries">
              {entries.map((entry) => (
                <Entry key={entry.entryId} entry={entry} kind={kind} id={id} />
              ))}
            </ul>
          )
        }
      </Shown>
    </section>
  );
}

/** The cause in words, from `outcome_unknown:balance_credit`. */
export function causeWords(cause: string): string {
  const [first = '', ...rest] = cause.split(':');
  const named = rest.filter(Boolean).map(words).join(', ');
  const known: Readonly<Record<string, (named: string) => string>> = {
    outcome_unknown: (step) => `answers to the step ${step} were lost`,
    process: (incarnation) => `the process ${incarnation} has gone`,
    migration: (id) => `migration ${id}`,
    consumer: (name) => `the consumer ${name} gives no receipt`,
    reader: (name) => `${name} does not take messages`,
    creation: (code) => `creations stopped: ${code}`,
    event_stopped: (who) => `events of ${who} stopped`,
    event_waits: (who) => `events wait for ${who}`,
  };
  return known[first]?.(named) ?? words(cause);
}
