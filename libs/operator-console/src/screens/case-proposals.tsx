/**
 * Proposals for the end of an investigation: one person prepares one, another approves it, and a line applies it off-line.
 * Nothing here changes the record; the gateway judges and signs.
 */
import type { CaseView, ProposalView } from '@platform/contracts-operator';
import type { ProposedKind } from '@platform/contracts-provisioning';
import { useState } from 'preact/hooks';
import type { Answer } from '@platform/design-parts/requests';
import { CommandLine, Instant } from '@platform/design-parts';
import { Status } from '../parts';
import { problemOf, useRead, useSession } from '../session';
import { Field } from './action-fields';

/** Kinds whose resolution can be proposed, while it is not known. */
export function canBeProposed({ kind, commands }: CaseView): boolean {
  return isProposed(kind) && commands.some(({ line }) => line.includes(` resolve ${kind.replaceAll('_', '-')} `));
}

const proposed: Readonly<Record<ProposedKind, true>> = {
  operation: true,
  migration_item: true,
  provisioning_attempt: true,
  deletion: true,
  webhook_event: true,
};

const isProposed = (kind: string): boolean => kind in proposed;

/** An event is its own proof; listeners leave no object at the provider. */
const namesObject = ({ kind }: CaseView): boolean => kind !== 'webhook_event' && kind !== 'deletion';

/** A listener is never called again. */
const canBeUndone = ({ kind }: CaseView): boolean => kind !== 'deletion';

function said(answer: Answer<unknown>): string {
  const problem = problemOf(answer);
  return problem ? (problem.detail ?? problem.title) : '';
}

function download({ proposal }: ProposalView): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([JSON.stringify(proposal, null, 2)], { type: 'application/json' }));
  link.download = `proposal-${proposal.statement.proposalId}.json`;
  link.click();
  URL.revokeObjectURL(link.href);
}

interface Entered {
  readonly executorStopped: string;
  readonly outcome: string;
  readonly providerObject: string;
  readonly override: string;
}

function requestOf(view: CaseView, { executorStopped, outcome, providerObject, override }: Entered) {
  const { kind, id } = view;
  return {
    kind,
    id,
    executorStopped,
    outcome,
    providerObject: outcome === 'applied' && namesObject(view) && providerObject !== '' ? providerObject : null,
    ...(override !== '' && { override }),
  };
}

function Prepare({ view, done }: { view: CaseView; done: () => void }) {
  const { gateway } = useSession();
  const [message, setMessage] = useState('');
  const found = view.provider.objects.at(-1)?.id ?? '';
  const [form, setForm] = useState<Entered>({
    executorStopped: '',
    outcome: found === '' && canBeUndone(view) ? 'not_applied' : 'applied',
    providerObject: found,
    override: '',
  });
  const enter = (name: keyof typeof form) => (event: { readonly currentTarget: { readonly value: string } }) =>
    setForm({ ...form, [name]: event.currentTarget.value });
  const prepare = async (event: Event) => {
    event.preventDefault();
    setMessage('Reading the provider …');
    const answer = await gateway.send<ProposalView>('POST', '/api/saas/proposals', requestOf(view, form));
    setMessage(said(answer));
    if (answer.kind === 'answered') done();
  };
  return (
    <form class="action proposal" onSubmit={(event) => void prepare(event)}>
      <Field label="How you know that the executor is stopped" name="stopped">
        <textarea
          id="field-stopped"
          required
          minLength={10}
          value={form.executorStopped}
          onInput={enter('executorStopped')}
        />
      </Field>
      <Field label="What came of it" name="outcome">
        <select id="field-outcome" value={form.outcome} onChange={enter('outcome')}>
          <option value="applied">It was applied</option>
          {canBeUndone(view) && <option value="not_applied">It was not applied and will not be</option>}
        </select>
      </Field>
      {form.outcome === 'applied' && namesObject(view) && (
        <Field label="The provider's object behind it" name="object">
          <input id="field-object" autocomplete="off" value={form.providerObject} onInput={enter('providerObject')} />
        </Field>
      )}
      <Field
        label="Against the evidence, because"
        name="override"
        note="Only where the evidence cannot be right. The record says so for ever."
      >
        <input id="field-override" autocomplete="off" value={form.override} onInput={enter('override')} />
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
  const approve = async () => {
    const path = `/api/saas/proposals/${view.proposal.statement.proposalId}/approval`;
    const answer = await gateway.send<ProposalView>('POST', path, { proposal: view.digest });
    setMessage(said(answer));
    if (answer.kind === 'answered') done();
  };
  return (
    <>
      <button type="button" onClick={() => void approve()}>
        Approve proposal
      </button>
      <p class="note" role="status">
        {message}
      </p>
    </>
  );
}

function Proposal({ view, done }: { view: ProposalView; done: () => void }) {
  const { who } = useSession();
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
      {view.status === 'proposed' && proposedBy.email !== who && <Approve view={view} done={done} />}
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

export function Proposals({ view, changed }: { view: CaseView; changed: () => void }) {
  const reading = useRead<{ readonly proposals: readonly ProposalView[] }>('/api/saas/proposals', {
    kind: view.kind,
    id: view.id,
  });
  const done = () => {
    reading.again();
    changed();
  };
  return (
    <section aria-labelledby="proposals">
      <h2 id="proposals">Proposals</h2>
      <p class="note">
        A proposal and its approval change nothing. A person with database credentials applies it off-line, where both
        signatures are verified and the provider is read once more.
      </p>
      {(reading.data?.proposals ?? []).length > 0 && (
        <ul class="proposals">
          {reading.data?.proposals.map((each) => (
            <Proposal key={each.proposal.statement.proposalId} view={each} done={done} />
          ))}
        </ul>
      )}
      <details>
        <summary>Prepare a proposal</summary>
        <Prepare view={view} done={done} />
      </details>
    </section>
  );
}
