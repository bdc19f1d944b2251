/**
 * Proposals for the end of an investigation: one person prepares one, another approves it, and a command applies it
 * off-line. Nothing here changes the record; the gateway judges and signs.
 */
import type { CaseView, ProposalView } from '@platform/contracts-operator';
import type { ProposedKind } from '@platform/contracts-provisioning';
import { useState } from 'preact/hooks';
import { problemText, type Answer } from '@platform/design-parts/requests';
import { CommandLine, Instant, ProblemBox, useOneAtATime } from '@platform/design-parts';
import { OlderNotShown, Status } from '../parts';
import { saveAs } from '@platform/design-parts';
import { mayApprove, mayPropose, whoApproves } from '../roles';
import { problemOf, useRead, useSession } from '../session';
import { Field } from './action-fields';

/** A record of a case whose end can be proposed. */
export interface ProposedRecord {
  readonly kind: ProposedKind;
  readonly id: string;
  /** The object of the provider that the case found last. */
  readonly found: string;
}

interface KindTraits {
  /** False for an event, which is its own proof, and for listeners, which leave no object at the provider. */
  readonly namesObject: boolean;
  /** False when `not_applied` is impossible, because a listener is never called again. */
  readonly canBeUndone: boolean;
  readonly heading: string;
}

const traits: Readonly<Record<ProposedKind, KindTraits>> = {
  operation: { namesObject: true, canBeUndone: true, heading: 'Proposals' },
  migration_item: { namesObject: true, canBeUndone: true, heading: 'Proposals' },
  provisioning_attempt: { namesObject: true, canBeUndone: true, heading: 'Proposals' },
  deletion: { namesObject: false, canBeUndone: false, heading: 'Proposals' },
  webhook_event: { namesObject: false, canBeUndone: true, heading: 'Proposals' },
  event_admission: { namesObject: false, canBeUndone: true, heading: 'Proposals for the record at provisioning' },
};

/** The records whose resolution can be proposed now: those for which the case has a command. */
export function proposedRecords({ id, commands, provider }: CaseView): readonly ProposedRecord[] {
  const kinds = Object.keys(traits) as ProposedKind[];
  return kinds
    .filter((kind) => commands.some(({ line }) => line.includes(` resolve ${kind.replaceAll('_', '-')} `)))
    .map((kind) => ({ kind, id, found: provider.objects.at(-1)?.id ?? '' }));
}

/** The text without the code at its beginning, which is for programs. */
export function said(answer: Answer<unknown>): string {
  const problem = problemOf(answer);
  return problem ? problemText(problem).replace(/^[a-z]+_[a-z_]+: /, '') : '';
}

function download({ proposal }: ProposalView): void {
  saveAs(`proposal-${proposal.statement.proposalId}.json`, JSON.stringify(proposal, null, 2));
}

export interface Entered {
  readonly executorStopped: string;
  readonly outcome: string;
  readonly providerObject: string;
  readonly override: string;
}

export function requestOf(
  { kind, id }: ProposedRecord,
  { executorStopped, outcome, providerObject, override }: Entered,
) {
  return {
    kind,
    id,
    executorStopped,
    outcome,
    providerObject: outcome === 'applied' && traits[kind].namesObject && providerObject !== '' ? providerObject : null,
    ...(override !== '' && { override }),
  };
}

/** The outcome that the evidence suggests: the object that was found, or that nothing was applied. */
export function firstForm({ kind, found }: ProposedRecord): Entered {
  const outcome = found === '' && traits[kind].canBeUndone ? 'not_applied' : 'applied';
  return { executorStopped: '', outcome, providerObject: found, override: '' };
}

function Prepare({ of, done }: { of: ProposedRecord; done: () => void }) {
  const { gateway } = useSession();
  const { namesObject, canBeUndone } = traits[of.kind];
  const named = (name: string) => `${of.kind}-${name}`;
  const [message, setMessage] = useState('');
  const [form, setForm] = useState(() => firstForm(of));
  const enter = (name: keyof typeof form) => (event: { readonly currentTarget: { readonly value: string } }) =>
    setForm({ ...form, [name]: event.currentTarget.value });
  const { run } = useOneAtATime();
  const prepare = async () => {
    setMessage('Reading the provider …');
    const answer = await gateway.send<ProposalView>('POST', '/api/saas/proposals', requestOf(of, form));
    setMessage(said(answer));
    if (answer.kind === 'answered') done();
  };
  const submit = (event: Event) => {
    event.preventDefault();
    void run(prepare);
  };
  return (
    <form class="action proposal" onSubmit={submit}>
      <Field label="How you know that the executor is stopped" name={named('stopped')}>
        <textarea
          id={`field-${named('stopped')}`}
          required
          minLength={10}
          value={form.executorStopped}
          onInput={enter('executorStopped')}
        />
      </Field>
      <Field label="What came of it" name={named('outcome')}>
        <select id={`field-${named('outcome')}`} value={form.outcome} onChange={enter('outcome')}>
          <option value="applied">It was applied</option>
          {canBeUndone && <option value="not_applied">It was not applied and will not be</option>}
        </select>
      </Field>
      {form.outcome === 'applied' && namesObject && (
        <Field label="The provider's object behind it" name={named('object')}>
          <input
            id={`field-${named('object')}`}
            autocomplete="off"
            value={form.providerObject}
            onInput={enter('providerObject')}
          />
        </Field>
      )}
      <Field
        label="Against the evidence, because"
        name={named('override')}
        note="Only where the evidence cannot be right. The record shows this permanently."
      >
        <input id={`field-${named('override')}`} autocomplete="off" value={form.override} onInput={enter('override')} />
      </Field>
      <button type="submit">Prepare proposal</button>
      <p class="note" role="status">
        {message}
      </p>
    </form>
  );
}

function Approve({ view, done }: { view: ProposalView; done: () => void }) {
  const { gateway } = useSession();
  const [message, setMessage] = useState('');
  const { busy, run } = useOneAtATime();
  const approve = async () => {
    const path = `/api/saas/proposals/${view.proposal.statement.proposalId}/approval`;
    const answer = await gateway.send<ProposalView>('POST', path, { proposal: view.digest });
    setMessage(said(answer));
    if (answer.kind === 'answered') done();
  };
  return (
    <>
      <button type="button" aria-disabled={busy} onClick={() => void run(approve)}>
        Approve proposal
      </button>
      <p class="note" role="status">
        {message}
      </p>
    </>
  );
}

function Proposal({ view, done }: { view: ProposalView; done: () => void }) {
  const { who, role } = useSession();
  const { statement, approval } = view.proposal;
  const { outcome, providerObject, executorStopped, override, evidence, consequences, proposedBy } = statement;
  const lines = [...evidence.statements, ...consequences];
  return (
    <li>
      <p>
        <strong>
          {outcome === 'applied'
            ? ['Applied', providerObject].filter(Boolean).join(', by ')
            : 'Not applied and will not be'}
        </strong>{' '}
        <Status status={view.status} /> proposed by {proposedBy.email} <Instant at={statement.proposedAt} />
        {approval && `, approved by ${approval.statement.approvedBy.email}`}
      </p>
      <p>{executorStopped}</p>
      {override && <p class="note">{`Against the evidence: ${override.reason} (${override.contradiction})`}</p>}
      <ul>
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
      {view.status === 'proposed' &&
        proposedBy.email !== who &&
        (mayApprove(role) ? <Approve view={view} done={done} /> : <p class="note">{whoApproves}</p>)}
      {view.status === 'proposed' && proposedBy.email === who && (
        <p class="note">It needs a second person, who signs in and approves it here.</p>
      )}
      {view.command !== undefined && <CommandLine purpose="Apply it, off-line" line={view.command} />}
      <button type="button" onClick={() => download(view)}>
        Download signed proposal
      </button>
    </li>
  );
}

export function Proposals({ of, changed }: { of: ProposedRecord; changed: () => void }) {
  const reading = useRead<{ readonly proposals: readonly ProposalView[]; readonly nextCursor?: string }>(
    '/api/saas/proposals',
    {
      kind: of.kind,
      id: of.id,
    },
  );
  const { role } = useSession();
  const heading = `proposals-${of.kind}`;
  const done = () => {
    reading.again();
    changed();
  };
  return (
    <section aria-labelledby={heading}>
      <h2 id={heading}>{traits[of.kind].heading}</h2>
      <p class="note">
        A proposal and its approval change nothing. A person with database credentials applies it off-line, where both
        signatures are verified and the provider is read once more.
      </p>
      {reading.problem && <ProblemBox problem={reading.problem} again={reading.again} />}
      {(reading.data?.proposals ?? []).length > 0 && (
        <ul class="proposals">
          {reading.data?.proposals.map((each) => (
            <Proposal key={each.proposal.statement.proposalId} view={each} done={done} />
          ))}
        </ul>
      )}
      <OlderNotShown nextCursor={reading.data?.nextCursor} />
      {mayPropose(role) ? (
        <details>
          <summary>Prepare a proposal</summary>
          <Prepare of={of} done={done} />
        </details>
      ) : (
        <p class="note">Support or a platform owner prepares a proposal here.</p>
      )}
    </section>
  );
}
