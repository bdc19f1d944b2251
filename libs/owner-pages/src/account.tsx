/** One workspace of an owner: its plan and price, possible changes, earlier requests, and the invoices. */
import type { Account } from '@platform/contracts-operator';
import { formatMoney, formatPrice } from '@platform/contracts-operator/actions';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Empty, Fact, Instant, ProblemBox, Table } from '@platform/design-parts';
import type { Problem } from '@platform/design-parts/requests';
import { Changes } from './changes';
import { invoicesCsv } from './downloads';
import { saveAs, saveCsv } from '@platform/design-parts';
import { useSession } from './session';
import { actionTitle, outcomeWords, periodWords, planWords, standing } from './words';

function useAccount(tenantId: string) {
  const { requests } = useSession();
  const [account, setAccount] = useState<Account | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const turns = useRef(0);
  const read = async () => {
    const turn = (turns.current += 1);
    const answer = await requests.read<Account>(`/api/saas/workspaces/${encodeURIComponent(tenantId)}/account`);
    // A slower answer to an earlier question is older than what is shown.
    if (turn !== turns.current) return;
    if (answer.kind === 'answered') setAccount(answer.body);
    setProblem(
      answer.kind === 'answered'
        ? null
        : answer.kind === 'refused'
          ? answer.problem
          : { code: 'no_answer', title: 'No answer', detail: 'We could not be reached. Check your connection.' },
    );
  };
  useEffect(() => {
    void read();
    // The owner returns from the payment page, or from another tab in which something was changed.
    const back = () => document.visibilityState === 'visible' && void read();
    document.addEventListener('visibilitychange', back);
    return () => document.removeEventListener('visibilitychange', back);
    // A renewed session reads with its own token, now and when the owner comes back.
  }, [tenantId, requests]);
  return { account, problem, again: () => void read() };
}

function Plan({ account }: { account: Account }) {
  const { plan, state, onSale } = account;
  const period = periodWords(state);
  const next = onSale.find(({ planId }) => planId === state.pendingPlan?.planId)?.name ?? state.pendingPlan?.planId;
  return (
    <dl class="summary">
      <Fact name="Plan">
        <strong>{planWords(account)}</strong>
        {plan && !state.isComplimentary && `, ${formatPrice(plan)}`}
        {state.priceNotInCatalog && ', at a price that your invoices show'}
        {state.isComplimentary && ', free of charge'}
      </Fact>
      <Fact name="Standing">{standing(account)}</Fact>
      {state.currentPeriodEnd && !state.cancelsAt && period !== undefined && (
        <Fact name={period}>
          <Instant at={state.currentPeriodEnd} both />
        </Fact>
      )}
      {state.cancelsAt && (
        <Fact name="Ends">
          <Instant at={state.cancelsAt} both />
        </Fact>
      )}
      {next !== undefined && (
        <Fact name="Changes to">
          {next} <Instant at={state.pendingPlan!.at} />
        </Fact>
      )}
      {state.freeUntil && (
        <Fact name="Free until">
          <Instant at={state.freeUntil} both />
        </Fact>
      )}
    </dl>
  );
}

function Invoices({ account }: { account: Account }) {
  const { invoices, state } = account;
  return (
    <section aria-labelledby="invoices">
      <h2 id="invoices">Invoices</h2>
      {invoices.state === 'unavailable' && (
        <p role="status">The invoices cannot be shown now. None is lost; try again in a moment.</p>
      )}
      {invoices.state === 'known' && invoices.lacksEarlier && (
        <p role="status">Earlier invoices cannot be shown now. None is lost; ask us for them.</p>
      )}
      {(invoices.state === 'none' || (invoices.state === 'known' && invoices.value.length === 0)) && (
        <Empty title="There is no invoice." />
      )}
      {invoices.state === 'known' && invoices.value.length > 0 && (
        <Table head={['Invoice', 'Date', 'Status', '#Total', 'Page']} caption="Invoices, newest first">
          {invoices.value.map(({ invoiceId, createdAt, status, total, currency, pageUrl }) => (
            <tr key={invoiceId}>
              <td>{invoiceId}</td>
              <td>
                <Instant at={createdAt} both />
              </td>
              <td>{status}</td>
              <td class="number">{formatMoney({ amountCents: total, currency })}</td>
              <td>
                {pageUrl === undefined ? (
                  '–'
                ) : (
                  <a href={pageUrl} target="_blank" rel="noreferrer">
                    {status === 'open' ? 'Pay or download' : 'Download'}
                    <span class="unseen"> invoice {invoiceId}</span>
                  </a>
                )}
              </td>
            </tr>
          ))}
        </Table>
      )}
      {invoices.state === 'known' && invoices.value.length > 0 && (
        <p class="quiet">The totals are what was invoiced. A refund is not shown here.</p>
      )}
      <div class="buttons">
        {invoices.state === 'known' && (
          <button type="button" onClick={() => saveCsv(`invoices-${state.tenantId}.csv`, invoicesCsv(account))}>
            Download the list (CSV)
          </button>
        )}
        <button
          type="button"
          onClick={() => saveAs(`account-${state.tenantId}.json`, JSON.stringify(account, null, 2))}
        >
          Download everything shown here (JSON)
        </button>
      </div>
    </section>
  );
}

function History({ operations }: Pick<Account, 'operations'>) {
  return (
    <section aria-labelledby="history">
      <h2 id="history">What was asked for</h2>
      {operations.length === 0 ? (
        <Empty title="Nothing yet." />
      ) : (
        <Table head={['What', 'Outcome', 'When', 'By']} caption="Requests of the owners, newest first">
          {operations.map(({ operationId, action, status, at, by }) => (
            <tr key={operationId}>
              <td title={operationId}>{actionTitle(action)}</td>
              <td>{outcomeWords(status)}</td>
              <td>
                <Instant at={at} both />
              </td>
              <td>{by}</td>
            </tr>
          ))}
        </Table>
      )}
    </section>
  );
}

export function AccountPage({ tenantId }: { tenantId: string }) {
  const { account, problem, again } = useAccount(tenantId);
  return (
    <>
      <h1 tabIndex={-1}>{account?.state.workspaceName ?? tenantId}</h1>
      {problem && <ProblemBox problem={problem} again={again} />}
      {!account && !problem && (
        <p class="quiet reading" role="status">
          Reading …
        </p>
      )}
      {account && (
        <>
          <Plan account={account} />
          <Changes account={account} changed={again} />
          <Invoices account={account} />
          <History operations={account.operations} />
        </>
      )}
    </>
  );
}
