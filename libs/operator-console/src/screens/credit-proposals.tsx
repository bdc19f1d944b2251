/**
 * Credits above the limit of one person: proposed after the refusal, approved by a second person here, and given by the
 * proposed request. The gateway signs and judges; the page sends what it shows.
 */
import type { CreditProposalView, OperationView } from '@platform/contracts-operator';
import { contractOf, formatMoney, mayStart } from '@platform/contracts-operator/actions';
import { useRef, useState } from 'preact/hooks';
import { Instant, ProblemBox, useOneAtATime } from '@platform/design-parts';
import { linkToCase } from '../address';
import { OlderNotShown, Status } from '../parts';
import { problemText } from '@platform/design-parts/requests';
import { mayApprove, whoApproves } from '../roles';
import { problemOf, useRead, useReadAgain, useSession } from '../session';

const proposalsOf = (tenantId: string) => `/api/saas/workspaces/${encodeURIComponent(tenantId)}/credit-proposals`;

/** The exact refused request, for a second person. */
export function ProposeCredit({
  tenantId,
  operationId,
  values,
  proposed,
}: {
  tenantId: string;
  operationId: string;
  values: Readonly<Record<string, unknown>>;
  proposed: () => void;
}) {
  const { gateway } = useSession();
  const [message, setMessage] = useState('');
  const propose = async () => {
    const { amountCents, reason } = values;
    const body = { operationId, amountCents, reason };
    const answer = await gateway.send<CreditProposalView>('POST', proposalsOf(tenantId), body);
    const problem = problemOf(answer);
    setMessage(
      problem
        ? problemText(problem)
        : 'Proposed. A second person approves it on the page of this workspace; then it can be given there.',
    );
    if (!problem) proposed();
  };
  const { busy, run } = useOneAtATime();
  return (
    <>
      <button type="button" class="primary" aria-disabled={busy} onClick={() => void run(propose)}>
        Propose it to a second person
      </button>
      <span role="status">{message}</span>
    </>
  );
}

function Step({ view, done }: { view: CreditProposalView; done: () => void }) {
  const { gateway, who, role } = useSession();
  const [message, setMessage] = useState('');
  const { operationId, tenantId, amountCents, reason, proposedBy } = view.statement;
  const send = async (path: string, body: object) => {
    const answer = await gateway.send<CreditProposalView | OperationView>('POST', path, body);
    const problem = problemOf(answer);
    setMessage(problem ? problemText(problem) : '');
    if (answer.kind === 'answered') done();
  };
  const { busy, run } = useOneAtATime();
  if (view.status === 'expired') return null;
  if (view.status === 'proposed' && proposedBy.email === who)
    return <p class="note">It needs a second person, who signs in and approves it here.</p>;
  if (view.status === 'proposed' && !mayApprove(role)) return <p class="note">{whoApproves}</p>;
  if (view.status === 'approved' && !mayStart(role, contractOf('credit_customer')))
    return <p class="note">Support, finance or a platform owner gives it here.</p>;
  const approve = () => send(`/api/saas/credit-proposals/${operationId}/approval`, { proposal: view.digest });
  const give = () =>
    send(`/api/saas/workspaces/${encodeURIComponent(tenantId)}/balance-credit`, { operationId, amountCents, reason });
  return (
    <>
      <button type="button" aria-disabled={busy} onClick={() => void run(view.status === 'proposed' ? approve : give)}>
        {view.status === 'proposed' ? 'Approve credit' : 'Give approved credit'}
      </button>
      <p class="note" role="status">
        {message}
      </p>
    </>
  );
}

/** Empty when no credit was proposed. */
export function CreditProposals({ tenantId, turn, acted }: { tenantId: string; turn: number; acted: () => void }) {
  const reading = useRead<{ readonly proposals: readonly CreditProposalView[]; readonly nextCursor?: string }>(
    proposalsOf(tenantId),
    {},
    turn,
  );
  // What another person approves or gives is announced to no list.
  useReadAgain(reading, ({ proposals }) => proposals.some(({ status }) => status === 'proposed'));
  const heading = useRef<HTMLHeadingElement>(null);
  const done = () => {
    // The pressed button goes: a key that is pressed again must not mean the next step.
    heading.current?.focus();
    reading.again();
    acted();
  };
  const proposals = reading.data?.proposals ?? [];
  if (proposals.length === 0 && !reading.problem) return null;
  return (
    <section aria-labelledby="credit-proposals">
      <h2 id="credit-proposals" ref={heading} tabIndex={-1}>
        Credits for a second person
      </h2>
      {reading.problem && <ProblemBox problem={reading.problem} again={reading.again} />}
      <ul class="proposals">
        {proposals.map((view) => {
          const { operationId, proposedBy, proposedAt, reason, ...money } = view.statement;
          return (
            <li key={operationId}>
              <p>
                <strong>{formatMoney(money)}</strong> <Status status={view.status} /> proposed by {proposedBy.email}{' '}
                <Instant at={proposedAt} />
                {view.approval && `, approved by ${view.approval.statement.approvedBy.email}`}
              </p>
              <p>
                {reason} <a href={linkToCase('operation', operationId)}>{operationId}</a>
              </p>
              <Step key={view.status} view={view} done={done} />
            </li>
          );
        })}
      </ul>
      <OlderNotShown nextCursor={reading.data?.nextCursor} />
    </section>
  );
}
