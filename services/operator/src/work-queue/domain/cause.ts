/**
 * What the unresolved records of one incident have in common: the process that ended, the consumer that does not
 * answer, the migration, or the step whose answers are lost. People review these records together; no decision uses the
 * cause.
 */
import type { WebhookEventView, WorkState } from '@platform/contracts-operator';
import type { AttemptView } from '@platform/contracts-provisioning';
import type { Operation } from '../../operations/domain/operation';

interface Caused {
  readonly cause?: string;
}

const textCharacters = 200;
const bounded = (...parts: readonly string[]): string => parts.join(':').slice(0, textCharacters);
const ofProcess = (incarnation: string): Caused => ({ cause: bounded('process', incarnation) });

export const causes = {
  operation: ({ status, attempts, ...operation }: Operation, state: WorkState): Caused => {
    const last = attempts.at(-1);
    if (state === 'interrupted' && last) return ofProcess(last.executor.incarnation);
    if (status !== 'reconciliation_required') return {};
    const step = last?.providerCalls.at(-1)?.step;
    const code = 'error' in operation && operation.error ? operation.error.code : 'stopped';
    return { cause: step === undefined ? bounded(code) : bounded(code, step) };
  },
  migration: (migrationId: string): string => bounded('migration', migrationId),
  event: ({ owner, result, errorMessage }: WebhookEventView): string =>
    bounded(result === 'pending' ? 'event_waits' : 'event_stopped', owner ?? 'none', errorMessage ?? ''),
  attempt: ({ executor, lastError }: AttemptView, state: WorkState): Caused => {
    if (state === 'interrupted') return ofProcess(executor.incarnation);
    return lastError ? { cause: bounded('creation', lastError.code) } : {};
  },
  delivery: (consumer: string): string => bounded('consumer', consumer),
  deadLetter: (stream: string, durable: string): string => bounded('reader', stream, durable),
};
