/**
 * A workspace: its state, pending changes, its operations and their announcements, and what a platform owner may do
 * now.
 */
import type { AdminState, OperationPage } from './types';
import type { WorkspaceDetail } from '@platform/contracts-operator';
import type { AttemptView } from '@platform/contracts-provisioning';
import { useState } from 'preact/hooks';
import { linkTo, linkToCase } from '../address';
import { Empty, Fact, Head, Id, Instant, ProblemBox, Shown, Table, words } from '@platform/design-parts';
import { Status } from '../parts';
import { useChanges, useRead } from '../session';
import { periodEndOf, standingOf } from '../standing';
import { CreditProposals } from './credit-proposals';
import { Actions } from './workspace-actions';
import { Deliveries, Identity } from './workspace-parts';

function Notices({ transition, deletion }: Pick<AdminState, 'transition' | 'deletion'>) {
  return (
    <>
      {deletion && (
        <div class="notice">
          <p>
            <b>{deletion.completedAt ? 'Deleted' : 'Deletion has begun'}</b>{' '}
            <Instant at={deletion.completedAt ?? deletion.startedAt} both />; that cannot be undone. Every change is
            refused. <a href={linkToCase('operation', deletion.operationId)}>{deletion.operationId}</a> began it.
          </p>
        </div>
      )}
      {transition && (
        <div class="notice">
          <p>
            <b>A transition is pending:</b> {words(transition.kind)}
            {transition.targetPlanId && ` to ${transition.targetPlanId}`}, since{' '}
            <Instant at={transition.requestedAt} both />. It holds this subscription until{' '}
            <a href={linkToCase('operation', transition.operationId)}>{transition.operationId}</a> has its outcome.
          </p>
        </div>
      )}
    </>
  );
}

function Standing({ state }: { state: AdminState }) {
  const { access, pendingPlan } = state;
  const standing = standingOf(state);
  const periodEnd = periodEndOf(state);
  return (
    <>
      <Notices transition={state.transition} deletion={state.deletion} />
      <dl class="summary">
        <Fact name="Status">{standing.plain ? <Status status={state.status} /> : standing.status}</Fact>
        <Fact name="Access">
          <Status status={access.state} /> {standing.closed} since <Instant at={access.since} />
        </Fact>
        <Fact name="Plan">
          {state.planId}
          {state.priceNotInCatalog && ', known last: the price at the payment provider is in no plan of the catalog'}
          {state.isComplimentary && ' (complimentary)'}
        </Fact>
        {pendingPlan && (
          <Fact name="Next plan">
            {pendingPlan.planId} <Instant at={pendingPlan.at} />
          </Fact>
        )}
        {state.freeUntil && (
          <Fact name="Free until">
            <Instant at={state.freeUntil} both />
          </Fact>
        )}
        {periodEnd && (
          <Fact name="Period ends">
            <Instant at={periodEnd} both />
          </Fact>
        )}
        {state.cancelsAt && (
          <Fact name="Ends">
            <Instant at={state.cancelsAt} both />
          </Fact>
        )}
        <Fact name="Revision">
          <Id>{state.revision}</Id>
        </Fact>
      </dl>
    </>
  );
}

function Operations({ tenantId, turn }: { tenantId: string; turn: number }) {
  const [cursor, setCursor] = useState<string | undefined>();
  const reading = useRead<OperationPage>(`/api/saas/workspaces/${encodeURIComponent(tenantId)}/operations`, {
    limit: 50,
    cursor,
    turn: undefined,
  });
  useChanges((data) => data['tenantId'] === tenantId, reading.again, 1_000);
  void turn;
  return (
    <section aria-labelledby="operations">
      <h2 id="operations">Operations</h2>
      <Shown reading={reading}>
        {({ operations, nextCursor }) =>
          operations.length === 0 ? (
            <Empty title="No operation yet." />
          ) : (
            <>
              <Table
                head={['Operation', 'Action', 'Status', 'Asked by', 'Asked', '#Attempts']}
                caption="Operations of this workspace"
              >
                {operations.map(({ operationId, action, status, actor, createdAt, attempts }) => (
                  <tr key={operationId}>
                    <td>
                      <a href={linkToCase('operation', operationId)}>
                        <Id>{operationId}</Id>
                      </a>
                    </td>
                    <td>{words(action)}</td>
                    <td>
                      <Status status={status} />
                    </td>
                    <td>{actor.email ?? actor.id}</td>
                    <td>
                      <Instant at={createdAt} />
                    </td>
                    <td class="number">{attempts.length}</td>
                  </tr>
                ))}
              </Table>
              <div class="pager">
                {cursor !== undefined && (
                  <button type="button" onClick={() => setCursor(undefined)}>
                    Newest
                  </button>
                )}
                {nextCursor !== undefined && (
                  <button type="button" onClick={() => setCursor(nextCursor)}>
                    Earlier
                  </button>
                )}
              </div>
            </>
          )
        }
      </Shown>
    </section>
  );
}

function Creation({ tenantId }: { tenantId: string }) {
  const reading = useRead<AttemptView>(`/api/saas/workspaces/${encodeURIComponent(tenantId)}/provisioning-attempt`);
  if (reading.problem?.code === 'not_found')
    return <p class="quiet">No provisioning attempt created this workspace.</p>;
  return (
    <Shown reading={reading}>
      {({ status, createdAt }) => (
        <p>
          Created by <a href={linkToCase('provisioning_attempt', tenantId)}>its provisioning attempt</a>:{' '}
          <Status status={status} />, <Instant at={createdAt} both />
        </p>
      )}
    </Shown>
  );
}

export function WorkspaceScreen({ tenantId }: { tenantId: string }) {
  const reading = useRead<WorkspaceDetail>(`/api/saas/workspaces/${encodeURIComponent(tenantId)}`);
  const [turn, setTurn] = useState(0);
  useChanges((data) => data['tenantId'] === tenantId, reading.again, 1_000);
  const acted = () => {
    reading.again();
    setTurn(turn + 1);
  };
  if (reading.problem?.code === 'not_found') {
    return (
      <section>
        <Head title={tenantId} />
        <Empty title="The gateway has no such workspace.">
          <a href={linkTo(['workspaces'])}>All workspaces</a>
        </Empty>
        <Creation tenantId={tenantId} />
      </section>
    );
  }
  return (
    <section class="workspace">
      <Head
        title={reading.data?.workspace.workspaceName ?? tenantId}
        note={
          <>
            Workspace <Id>{tenantId}</Id>
          </>
        }
      >
        <a class="button" href={linkTo(['activity'], { workspace: tenantId })}>
          Its activity
        </a>
        <a class="button" href={linkTo(['queue'], { workspace: tenantId })}>
          Its unresolved work
        </a>
        <button type="button" onClick={acted}>
          Read again
        </button>
      </Head>
      {reading.problem && <ProblemBox problem={reading.problem} again={reading.again} />}
      {reading.data && (
        <>
          <Standing state={reading.data.state} />
          <Identity detail={reading.data} />
          <Actions state={reading.data.state} judged={reading.data.actions} acted={acted} />
          <CreditProposals turn={turn} tenantId={tenantId} acted={acted} />
        </>
      )}
      <Operations key={turn} tenantId={tenantId} turn={turn} />
      {reading.data && <Deliveries deliveries={reading.data.deliveries} />}
      <section aria-labelledby="creation">
        <h2 id="creation">Creation</h2>
        <Creation tenantId={tenantId} />
      </section>
    </section>
  );
}
