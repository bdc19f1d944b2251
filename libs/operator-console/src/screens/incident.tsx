/**
 * The unresolved records of one cause together: each with its own evidence, read one by one, and one statement of how
 * the person knows that their executors are stopped. A proposal is prepared and approved for each record separately, so
 * that no record is resolved by the evidence of another.
 */
import type { CaseView, ProposalView, WorkItemView, WorkQueuePage } from '@platform/contracts-operator';
import { useState } from 'preact/hooks';
import { Empty, Head, Id, Instant, Shown, Table, title } from '@platform/design-parts';
import { linkTo, linkToCase } from '../address';
import { Amount, State, Status } from '../parts';
import { nothingRead, readEvidence, toApprove, type Evidence } from '../incident-evidence';
import { mayApprove, mayPropose } from '../roles';
import { useChanges, useRead, useSession } from '../session';
import { Field } from './action-fields';
import { firstForm, proposedRecords, requestOf, said, type Entered, type ProposedRecord } from './case-proposals';
import { moneyWords } from './case-verdict';
import { causeWords } from './case-work';

type Known = Readonly<Record<string, Evidence>>;

/**
 * What the case of a record suggests: applied, with the object that shows the effect, or not applied; null when it
 * cannot tell.
 */
function bySight(record: ProposedRecord, { verdict, provider }: CaseView): Entered | null {
  const { answer } = verdict.money;
  // The page of a checkout is there and not paid: the effect is applied, and no money moved.
  if (answer === 'did_not_move' && (provider?.objects.length ?? 0) > 0) return null;
  if (answer === 'moved') return { ...firstForm(record), outcome: 'applied' };
  const open = { ...firstForm(record), outcome: 'not_applied', providerObject: '' };
  return answer === 'did_not_move' || answer === 'not_known' ? open : null;
}

const keyOf = ({ kind, id }: Pick<WorkItemView, 'kind' | 'id'>): string => `${kind}:${id}`;
const atOnce = 4;

/** Runs a task for each, a few at a time, so that one incident does not overload the gateway. */
async function each<T>(all: readonly T[], task: (one: T) => Promise<void>): Promise<void> {
  const queue = [...all];
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) await task(next);
    }),
  );
}

/** Reads, proposes and approves for the chosen records; the result of each is shown beside it. */
function useEvidence(chosen: readonly WorkItemView[]) {
  const { gateway, who } = useSession();
  const [known, setKnown] = useState<Known>({});
  const [busy, setBusy] = useState('');
  const tell = (item: WorkItemView, change: (before: Evidence) => Evidence) =>
    setKnown((before) => ({
      ...before,
      [keyOf(item)]: change(before[keyOf(item)] ?? nothingRead),
    }));
  const say = (item: WorkItemView, result: string) => tell(item, (before) => ({ ...before, result }));
  const during = async (what: string, task: (item: WorkItemView) => Promise<void>) => {
    setBusy(what);
    await each(chosen, task);
    setBusy('');
  };
  const readOne = async (item: WorkItemView, result = '') => {
    const [view, proposals] = await Promise.all([
      gateway.read<CaseView>(`/api/saas/cases/${item.kind}`, { id: item.id }),
      gateway.read<{ proposals: ProposalView[] }>('/api/saas/proposals', { kind: item.kind, id: item.id }),
    ]);
    tell(item, (before) => readEvidence(before, view, proposals, result));
  };
  const proposeOne = (executorStopped: string) => async (item: WorkItemView) => {
    const view = known[keyOf(item)]?.view;
    const record = view && proposedRecords(view)[0];
    if (!record) return say(item, view ? 'Its end cannot be proposed.' : 'Read its evidence first.');
    const form = bySight(record, view);
    if (!form) return say(item, 'Its case does not show the outcome. Propose its end on the page of the case.');
    const answer = await gateway.send<ProposalView>(
      'POST',
      '/api/saas/proposals',
      requestOf(record, { ...form, executorStopped }),
    );
    return readOne(item, answer.kind === 'answered' ? 'Proposed.' : said(answer));
  };
  const approveOne = async (item: WorkItemView) => {
    const proposal = toApprove(known[keyOf(item)] ?? nothingRead, who);
    if (typeof proposal === 'string') return say(item, proposal);
    const path = `/api/saas/proposals/${proposal.proposal.statement.proposalId}/approval`;
    const answer = await gateway.send<ProposalView>('POST', path, { proposal: proposal.digest });
    return readOne(item, answer.kind === 'answered' ? 'Approved.' : said(answer));
  };
  return {
    known,
    busy,
    read: () => during('Reading …', (item) => readOne(item)),
    propose: (executorStopped: string) => during('Proposing …', proposeOne(executorStopped)),
    approve: () => during('Approving …', approveOne),
  };
}

function Row({
  item,
  evidence,
  chosen,
  choose,
}: {
  item: WorkItemView;
  evidence: Evidence | undefined;
  chosen: boolean;
  choose: (chosen: boolean) => void;
}) {
  const proposal = evidence?.proposals?.find(({ status }) => status !== 'expired');
  const found = evidence?.view?.provider.objects.at(-1)?.id;
  return (
    <tr>
      <td>
        <input
          type="checkbox"
          aria-label={`Choose ${item.id}`}
          checked={chosen}
          onChange={(event) => choose(event.currentTarget.checked)}
        />
      </td>
      <td>
        <State state={item.state} />
      </td>
      <td>
        <a href={linkToCase(item.kind, item.id)}>
          {title(item.title)} <Id>{item.id}</Id>
        </a>
      </td>
      <td>{item.tenantId === null ? '–' : <a href={linkTo(['workspaces', item.tenantId])}>{item.tenantId}</a>}</td>
      <td>{item.work?.assignee ?? '–'}</td>
      <td class="number">
        <Amount money={item.money} />
      </td>
      <td>
        <Instant at={item.since} />
      </td>
      <td>
        {evidence?.view ? moneyWords[evidence.view.verdict.money.answer] : <span class="quiet">not read yet</span>}
        {found !== undefined && (
          <>
            {' '}
            <Id>{found}</Id>
          </>
        )}
      </td>
      <td>
        {proposal && <Status status={proposal.status} />} {evidence?.result}
      </td>
    </tr>
  );
}

function Together({
  evidence: { busy, read, propose, approve },
  count,
  allRead,
}: {
  evidence: ReturnType<typeof useEvidence>;
  count: number;
  allRead: boolean;
}) {
  const { role } = useSession();
  const [stopped, setStopped] = useState('');
  const submit = (event: Event) => {
    event.preventDefault();
    void propose(stopped);
  };
  return (
    <form class="action" aria-label="Work on these together" onSubmit={submit}>
      <h2 class="form-title">{count} chosen</h2>
      <p class="note">
        Each record is proposed and approved by itself, as its own case shows it: applied where the effect is seen, not
        applied where it is not. Nothing changes until a person applies each proposal off-line.
      </p>
      <div class="buttons">
        <button type="button" disabled={busy !== '' || count === 0} onClick={() => void read()}>
          Read the evidence of each
        </button>
        {mayApprove(role) && (
          <button type="button" disabled={busy !== '' || !allRead} onClick={() => void approve()}>
            Approve what others proposed
          </button>
        )}
        <span role="status" class="quiet">
          {busy}
        </span>
      </div>
      {mayPropose(role) && (
        <>
          <Field label="How you know that their executors are stopped" name="stopped">
            <textarea
              id="field-stopped"
              required
              minLength={10}
              value={stopped}
              onInput={(event) => setStopped(event.currentTarget.value)}
            />
          </Field>
          <div class="buttons">
            <button type="submit" class="primary" disabled={busy !== '' || !allRead}>
              Prepare {count} {count === 1 ? 'proposal' : 'proposals'}
            </button>
            {!allRead && <span class="quiet">The evidence is read first.</span>}
          </div>
        </>
      )}
    </form>
  );
}

function Records({ items }: { items: readonly WorkItemView[] }) {
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const chosen = items.filter((item) => !left.has(keyOf(item)));
  const evidence = useEvidence(chosen);
  const choose = (item: WorkItemView) => (wanted: boolean) => {
    const next = new Set(left);
    if (wanted) next.delete(keyOf(item));
    else next.add(keyOf(item));
    setLeft(next);
  };
  const allRead = chosen.length > 0 && chosen.every((item) => evidence.known[keyOf(item)]?.view !== undefined);
  return (
    <>
      <Table
        head={['Chosen', 'State', 'Record', 'Workspace', 'Who', '#At risk', 'Since', 'Did money move?', 'Proposal']}
        caption="Unresolved records of this cause"
      >
        {items.map((item) => (
          <Row
            key={keyOf(item)}
            item={item}
            evidence={evidence.known[keyOf(item)]}
            chosen={!left.has(keyOf(item))}
            choose={choose(item)}
          />
        ))}
      </Table>
      <Together evidence={evidence} count={chosen.length} allRead={allRead} />
    </>
  );
}

export function IncidentScreen({ cause }: { cause: string }) {
  const reading = useRead<WorkQueuePage>('/api/saas/work-queue', { cause, limit: 100 });
  useChanges(() => true, reading.again, 2_000);
  return (
    <section class="incident">
      <Head title="One cause" note={`${title(causeWords(cause))}.`}>
        <a class="button" href={linkTo(['queue'], { cause })}>
          In the work queue
        </a>
      </Head>
      <Shown reading={reading}>
        {({ items, nextCursor }) =>
          items.length === 0 ? (
            <Empty title="Nothing of this cause is unresolved.">
              <a href={linkTo(['queue'])}>Back to the work queue</a>
            </Empty>
          ) : (
            <>
              {nextCursor !== undefined && (
                <p class="count">The first 100, most money at risk first. More follow when these have ended.</p>
              )}
              <Records items={items} />
            </>
          )
        }
      </Shown>
    </section>
  );
}
