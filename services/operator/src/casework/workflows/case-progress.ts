/** The progress of people on each of several cases, and the cases that one person is assigned to. */
import type { CaseProgress, WorkKind } from '@platform/contracts-operator';
import { walk } from '@platform/durable/record';
import type { Clock } from '@platform/kernel';
import type { RevisionedCollection } from '@platform/mongo';
import { proposalHours, type Proposal } from '../../proposals/domain/proposal';
import { progressOf, type CaseWork } from '../domain/case-work';
import { caseKey } from './work-on-case';

export interface ProgressPorts {
  readonly work: Pick<RevisionedCollection<CaseWork>, 'find'>;
  readonly proposals: Pick<RevisionedCollection<Proposal>, 'find'>;
  readonly clock: Clock;
}

const atOnce = 200;

interface Named {
  readonly kind: WorkKind;
  readonly itemId: string;
}

/** Proposals that can still be applied, by their cases; the newest one of each. Throws StoreUnavailableError. */
export async function openProposals(
  { proposals, clock }: Omit<ProgressPorts, 'work'>,
  cases: readonly Named[],
): Promise<Map<string, Proposal>> {
  const since = new Date(clock.now().getTime() - proposalHours * 3_600_000);
  // An admission of an event is investigated on the page of the event.
  const kindOf = ({ kind }: Proposal): WorkKind => (kind === 'event_admission' ? 'webhook_event' : kind);
  const newest = new Map<string, Proposal>();
  const ofThese = { itemId: { $in: cases.map(({ itemId }) => itemId) }, createdAt: { $gte: since } };
  for await (const proposal of walk(proposals, ofThese, { sort: ['createdAt', '_id'] }))
    newest.set(caseKey(kindOf(proposal), proposal.itemId), proposal);
  return newest;
}

/** The entries have the keys of the work queue; a case without work and without an open proposal has no entry. */
export async function progressOfCases(
  ports: ProgressPorts,
  cases: readonly Named[],
): Promise<Map<string, CaseProgress>> {
  if (cases.length === 0) return new Map();
  const keys = cases.map(({ kind, itemId }) => caseKey(kind, itemId));
  const [works, proposed] = await Promise.all([
    ports.work.find({ _id: { $in: keys } }, { sort: { _id: 1 }, limit: keys.length }),
    openProposals(ports, cases),
  ]);
  const known = new Map(works.map((work) => [work._id, work]));
  return new Map(
    keys.flatMap((key): [string, CaseProgress][] => {
      const progress = progressOf(known.get(key) ?? null, proposed.get(key)?.status);
      return progress ? [[key, progress]] : [];
    }),
  );
}

/** The cases that a person has, the last one worked on first, by their keys and in portions. */
export async function* casesOf(
  { work }: Pick<ProgressPorts, 'work'>,
  person: string,
): AsyncGenerator<readonly string[]> {
  const sort = { updatedAt: -1, _id: -1 } as const;
  let after: CaseWork | undefined;
  do {
    const portion: CaseWork[] = await work.find(
      { assignee: person.toLowerCase() },
      { sort, limit: atOnce, ...(after && { after: [after.updatedAt, after._id] }) },
    );
    yield portion.map(({ _id }) => _id);
    after = portion.length < atOnce ? undefined : portion.at(-1);
  } while (after);
}
