/**
 * The outcome of a requested action. When it is unknown, the page says so, asks the person not to retry, and offers to
 * read the record, never to send the request again.
 */
import { Fragment, type ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { CaseView, OperationView } from '@platform/contracts-operator';
import { contractOf, type OperationAction } from '@platform/contracts-operator/actions';
import { refusedFields } from '../action-values';
import { linkTo, linkToCase } from '../address';
import { leavesOutcomeOpen, problemText, type Answer, type Problem } from '@platform/design-parts/requests';
import { Copy, Id, useFocusWhenShown, words } from '@platform/design-parts';
import { Status } from '../parts';
import { problemOf, useChanges, useRead, useReadAgain, useSession } from '../session';
import { ProposeCredit } from './credit-proposals';

interface OutcomeProps {
  readonly action: OperationAction;
  readonly tenantId: string;
  readonly operationId: string;
  readonly answer: Answer<OperationView>;
  /** The requested values. */
  readonly values: Readonly<Record<string, unknown>>;
  readonly close: () => void;
  /** Reads the rest of the page again. */
  readonly acted: () => void;
}

/** The panel comes in the place of the form: reading goes on at what has become of it. */
function Said({ children }: { children: ComponentChildren }) {
  const heading = useFocusWhenShown<HTMLHeadingElement>();
  return (
    <h3 ref={heading} tabIndex={-1}>
      {children}
    </h3>
  );
}

function Unknown({
  tenantId,
  operationId,
  problem,
  close,
}: Pick<OutcomeProps, 'tenantId' | 'operationId' | 'close'> & { problem: Problem }) {
  const { gateway } = useSession();
  const [message, setMessage] = useState('');
  const read = async () => {
    const answer = await gateway.read<OperationView>(
      `/api/saas/workspaces/${encodeURIComponent(tenantId)}/operations/${operationId}`,
    );
    if (answer.kind === 'answered') location.hash = linkToCase('operation', operationId);
    else if (answer.kind === 'refused' && answer.status === 404)
      setMessage(
        'The gateway has no such operation now. The request may still be on its way: read again before you do anything else.',
      );
    else setMessage(problemOf(answer)?.detail ?? 'It could not be read.');
  };
  return (
    <div class="outcome outcome-unknown" role="alert">
      <Said>The outcome is not known. Stop retrying.</Said>
      <p>{problem.detail ?? problem.title}</p>
      <p>
        The request may or may not have been executed. Keep this operation id and these values; a new id would be a new
        action.
      </p>
      <p class="operation-id">
        Operation id <Id>{operationId}</Id> <Copy text={operationId} />
      </p>
      <div class="buttons">
        <button type="button" class="primary" onClick={() => void read()}>
          Read the operation
        </button>
        <button type="button" onClick={close}>
          Close
        </button>
      </div>
      <p role="status">{message}</p>
    </div>
  );
}

/** What is still awaited, by name where the services report it. */
function Awaited({ view }: { view: CaseView | null }) {
  const away = view?.deliveries.filter(({ receipt, waiver }) => !receipt && !waiver) ?? [];
  return (
    <>
      {' '}
      It continues by itself; do not send it again. It waits for{' '}
      {away.length === 0
        ? 'what its case names'
        : away.map(({ consumer }, at) => (
            <Fragment key={consumer}>
              {at > 0 && ', '}
              <a href={linkTo(['consumers', consumer])}>{consumer}</a>
            </Fragment>
          ))}
      .
    </>
  );
}

function ToConfirm({ url }: { url: string }) {
  return (
    <>
      {' '}
      The holder of the card has to confirm the payment:{' '}
      <a href={url} target="_blank" rel="noreferrer">
        {url}
      </a>
      . Then it continues by itself; do not send it again.
    </>
  );
}

function Refused({
  action,
  title,
  tenantId,
  operationId,
  values,
  problem,
  close,
  acted,
}: Omit<OutcomeProps, 'answer'> & { title: string; problem: Problem }) {
  return (
    <div class="outcome outcome-refused" role="alert">
      <Said>{title}: refused</Said>
      <p>
        <b>{problem.title}.</b> {problemText(problem)}
      </p>
      {refusedFields(action, problem.errors).map((each) => (
        <p key={each}>{each}</p>
      ))}
      {problem.operation !== undefined && (
        <p>
          What was written down: <a href={linkToCase('operation', operationId)}>{operationId}</a>
        </p>
      )}
      <div class="buttons">
        {problem.code === 'credit_limit_reached' && (
          <ProposeCredit {...{ tenantId, operationId, values }} proposed={acted} />
        )}
        <button type="button" onClick={close}>
          Close
        </button>
      </div>
    </div>
  );
}

export function Outcome({ action, tenantId, operationId, answer, values, close, acted }: OutcomeProps) {
  const problem = problemOf(answer);
  const { title } = contractOf(action).form;
  if (problem && leavesOutcomeOpen(answer))
    return <Unknown tenantId={tenantId} operationId={operationId} problem={problem} close={close} />;
  if (problem) return <Refused {...{ action, title, tenantId, operationId, values, problem, close, acted }} />;
  return answer.kind === 'answered' ? (
    <Accepted {...{ title, tenantId, operationId, answered: answer.body, close, acted }} />
  ) : null;
}

/** The text and appearance of each end. */
const ends: Readonly<
  Record<string, { readonly text: string; readonly tone: string; readonly role: 'status' | 'alert' }>
> = {
  succeeded: { text: 'done', tone: 'done', role: 'status' },
  failed: { text: 'failed', tone: 'refused', role: 'alert' },
  reconciliation_required: { text: 'the outcome is not known. Stop retrying.', tone: 'unknown', role: 'alert' },
};
const goesOn = { text: 'accepted, not finished', tone: 'done', role: 'status' } as const;
const hasEnded = ({ status }: OperationView): boolean => Object.hasOwn(ends, status);

/** The current record, and its case while something is awaited; calls `acted` when it has ended. */
function useFollowed(tenantId: string, operationId: string, answered: OperationView, acted: () => void) {
  const underWay = !hasEnded(answered);
  const path = `/api/saas/workspaces/${encodeURIComponent(tenantId)}/operations/${operationId}`;
  const reading = useRead<OperationView>(underWay ? path : null);
  const found = useRead<CaseView>(underWay ? '/api/saas/cases/operation' : null, { id: operationId });
  const operation = reading.data ?? answered;
  useReadAgain(reading, (read) => !hasEnded(read));
  useReadAgain(found, () => !hasEnded(operation));
  useChanges(({ id }) => typeof id === 'string' && id.startsWith(operationId), reading.again, 500);
  useEffect(() => {
    if (underWay && hasEnded(operation)) acted();
  }, [operation.status]);
  return { operation, view: found.data };
}

function Result({ result }: Pick<OperationView, 'result'>) {
  if (!result) return null;
  return (
    <dl class="facts">
      {Object.entries(result).map(([label, value]) => (
        <div key={label}>
          <dt>{words(label)}</dt>
          <dd>{String(value)}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Follows the record until it has ended, so that the panel is never behind the list below it. */
function Accepted({
  title,
  tenantId,
  operationId,
  answered,
  close,
  acted,
}: Pick<OutcomeProps, 'tenantId' | 'operationId' | 'close' | 'acted'> & { title: string; answered: OperationView }) {
  const { operation, view } = useFollowed(tenantId, operationId, answered, acted);
  const { text, tone, role } = ends[operation.status] ?? goesOn;
  return (
    <div class={`outcome outcome-${tone}`} role={role}>
      <Said>
        {title}: {text}
      </Said>
      <p>
        <a href={linkToCase('operation', operationId)}>{operationId}</a> <Status status={operation.status} />{' '}
        {operation.error?.message}
        {!hasEnded(operation) &&
          (operation.confirmUrl === undefined ? <Awaited view={view} /> : <ToConfirm url={operation.confirmUrl} />)}
      </p>
      <Result result={operation.result} />
      <div class="buttons">
        <button type="button" onClick={close}>
          Close
        </button>
      </div>
    </div>
  );
}
