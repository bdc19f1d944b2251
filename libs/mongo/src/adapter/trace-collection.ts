/**
 * A collection whose messages carry the trace of the decision that they announce, and whose statements are steps of
 * that trace where spans are recorded. Spans contain the collection and the outcome, but no ids and values, because
 * some ids contain text that people typed.
 */
import type { OutboxEntry, Revisioned, Tracing } from '@platform/kernel';
import type { RevisionedCollection } from '../port';

const failureOf = (outcome: string): string | undefined =>
  outcome === 'unknown' ? 'the outcome of the write is not known' : undefined;

function stampWith(tracing: Tracing): (entries?: readonly OutboxEntry[]) => readonly OutboxEntry[] {
  return (entries = []) => {
    const traceparent = tracing.traceparent();
    return traceparent === undefined ? entries : entries.map((entry) => ({ traceparent, ...entry }));
  };
}

/** Does not trace the outbox's own methods, because sweeps belong to no operation. */
export function traceCollection<T extends Revisioned>(
  collection: RevisionedCollection<T>,
  database: string,
  tracing: Tracing,
): RevisionedCollection<T> {
  const stamped = stampWith(tracing);
  const { name } = collection;
  if (!tracing.recording) {
    return {
      ...collection,
      insert: (draft, announce) => collection.insert(draft, stamped(announce)),
      mutate: (current, next, announce) => collection.mutate(current, next, stamped(announce)),
    };
  }
  const stepOf = (verb: string) => ({
    name: `${name}.${verb}`,
    kind: 'client' as const,
    attributes: {
      'db.system.name': 'mongodb',
      'db.namespace': database,
      'db.collection.name': name,
      'db.operation.name': verb,
    },
  });
  const read = <R>(verb: string, work: () => Promise<R>): Promise<R> => tracing.step(stepOf(verb), work);
  const write = <R extends { readonly outcome: string }>(verb: string, work: () => Promise<R>): Promise<R> =>
    tracing.step(stepOf(verb), async (span) => {
      const written = await work();
      span.note({ 'platform.write_outcome': written.outcome }, failureOf(written.outcome));
      return written;
    });
  return {
    ...collection,
    findById: (id) => read('findById', () => collection.findById(id)),
    find: (filter, options) => read('find', () => collection.find(filter, options)),
    count: (filter) => read('count', () => collection.count(filter)),
    insert: (draft, announce) => write('insert', () => collection.insert(draft, stamped(announce))),
    mutate: (current, next, announce) => write('mutate', () => collection.mutate(current, next, stamped(announce))),
    remove: (current) => write('remove', () => collection.remove(current)),
  };
}
