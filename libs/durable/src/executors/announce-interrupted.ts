/**
 * Alerts people of running work whose executor does not answer, once for each piece of work and executor. No work is
 * taken over and its record does not change (law 4): a separate notice carries the alert, and its insert decides which
 * replica alerts.
 */
import {
  alertEntry,
  describeExecutor,
  isInterrupted,
  type Alert,
  type Clock,
  type Executor,
  type ExecutorKnowledge,
  type Log,
  type OutboxEntry,
  type Revisioned,
} from '@platform/kernel';
import type { CollectionDeclaration, RevisionedCollection } from '@platform/mongo';
import type { AskExecutors } from './ask-executors';

/** `_id`: the work's key and the incarnation that does not answer. It is kept, so that the alert is not sent again. */
export interface InterruptionNotice extends Revisioned {
  readonly key: string;
  readonly executor: Executor;
  readonly state: ExecutorKnowledge['state'];
  readonly outbox?: readonly OutboxEntry[];
}

export const interruptionNoticesCollection: CollectionDeclaration<InterruptionNotice> = {
  name: 'interruption_notices',
  announces: true,
  indexes: [],
};

/** A piece of work to which an executor is admitted. */
export interface RunningWork {
  readonly key: string;
  readonly executor: Executor;
  /** `kind` is a kind of the work queue. */
  readonly about: Pick<Alert, 'kind' | 'id' | 'tenantId' | 'run'>;
}

export interface InterruptedPorts {
  readonly notices: Pick<RevisionedCollection<InterruptionNotice>, 'insert'>;
  readonly ask: AskExecutors;
  /** The work that is recorded as running now, by an indexed query, oldest first. */
  readonly running: () => Promise<readonly RunningWork[]>;
  readonly publishNow: (noticeId: string, entries: readonly OutboxEntry[]) => void;
  readonly service: string;
  readonly clock: Clock;
  readonly log: Log;
}

export interface InterruptedWatch {
  look(): Promise<void>;
  /** Pieces of work whose executor answered in neither of the last two rounds, announced or not. */
  interrupted(): number;
}

const noticeId = ({ key, executor }: RunningWork): string => `${key}@${executor.incarnation}`;

/**
 * The caller runs one round at a time. Silence is announced at the second round in a row, so that work which ends
 * between the query and the request raises no alarm. Throws StoreUnavailableError.
 */
export function createInterruptedWatch(ports: InterruptedPorts): InterruptedWatch {
  let suspects: ReadonlySet<string> = new Set();
  let interrupted = 0;
  const look = async () => {
    const running = await ports.running();
    const known = await ports.ask(running);
    const silent = running.flatMap((work, at) => (isInterrupted(known[at]!) ? [{ work, knowledge: known[at]! }] : []));
    const due = silent.filter(({ work }) => suspects.has(noticeId(work)));
    interrupted = due.length;
    suspects = new Set(silent.map(({ work }) => noticeId(work)));
    for (const { work, knowledge } of due) await announce(ports, work, knowledge);
  };
  return { look, interrupted: () => interrupted };
}

async function announce(ports: InterruptedPorts, work: RunningWork, knowledge: ExecutorKnowledge): Promise<void> {
  const _id = noticeId(work);
  const { key, executor, about } = work;
  const who = `${executor.instance} (${executor.incarnation})`;
  const reason = `It is recorded as running. ${describeExecutor(who, knowledge)}`;
  const alert = alertEntry(
    { service: ports.service, ...about, reason, at: ports.clock.now() },
    `interrupted:${executor.incarnation}`,
  );
  const written = await ports.notices.insert({ _id, key, executor, state: knowledge.state }, [alert]);
  if (written.outcome !== 'applied') return;
  ports.log.warn(
    { work: key, executor, state: knowledge.state },
    'running work has no executor that answers; people must look',
  );
  ports.publishNow(_id, [alert]);
}
