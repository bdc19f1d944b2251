/**
 * Keeps the rows up to date: periodically walks over each owner, and records the result of each walk, so that people
 * see how old the queue's knowledge is. A long walk is followed by a long pause: walks take at most a tenth of the
 * time.
 */
import type { WorkKind, WorkSource } from '@platform/contracts-operator';
import { isUnavailable, type WorkOwner, type WorkQueuePorts } from './ports';
import { walkOwner } from './walk-owner';

export interface QueueKeeper {
  /** Walks over every owner that is due; an unreachable owner does not block the others. */
  runRound(stopping: () => boolean): Promise<void>;
  sources(): WorkSource[];
}

interface Knowledge {
  state: WorkSource['state'];
  walkedAt?: Date;
  problem?: string;
  dueAt: number;
}

export function createQueueKeeper(ports: WorkQueuePorts, pauseMs: number): QueueKeeper {
  const known = new Map<WorkKind, Knowledge>(ports.owners.map(({ kind }) => [kind, { state: 'reading', dueAt: 0 }]));
  const walk = async (owner: WorkOwner, stopping: () => boolean) => {
    const knowledge = known.get(owner.kind)!;
    const begunAt = ports.clock.now().getTime();
    if (begunAt < knowledge.dueAt) return;
    const walked = await walkOwner(ports, owner, stopping).catch((error: unknown) => ({
      unavailable: error instanceof Error ? error.message : String(error),
    }));
    const endedAt = ports.clock.now();
    knowledge.dueAt = endedAt.getTime() + Math.max(pauseMs, 9 * (endedAt.getTime() - begunAt));
    if (isUnavailable(walked)) {
      if (knowledge.state === 'current')
        ports.log.warn({ source: owner.kind, problem: walked.unavailable }, 'the work queue cannot read an owner');
      Object.assign(knowledge, { state: 'unavailable', problem: walked.unavailable });
      return;
    }
    Object.assign(knowledge, { state: 'current', walkedAt: endedAt, problem: undefined });
    if (walked.repaired > 0) ports.log.info({ source: owner.kind, ...walked }, 'rows of the work queue repaired');
  };
  return {
    async runRound(stopping) {
      for (const owner of ports.owners) if (!stopping()) await walk(owner, stopping);
    },
    sources: () =>
      [...known].map(([source, { state, walkedAt, problem }]) => ({
        source,
        state,
        ...(walkedAt && { walkedAt: walkedAt.toISOString() }),
        ...(problem !== undefined && { problem }),
      })),
  };
}
