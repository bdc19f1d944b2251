/**
 * Changes of the queue on their way to browsers: each replica publishes its changes and receives those of all replicas.
 * When changes are faster than people can read, one notice "read again" replaces thousands.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { manyChangedSubject, workChangedType, workChangedSubject, type WorkChange } from '@platform/contracts-operator';
import type { Ids } from '@platform/kernel';
import type { OutboundMessage } from '@platform/messaging';

/** `null`: many changes; read again. */
export type Notice = WorkChange | null;

export interface LiveFeed {
  /** Calls `heard` with every notice until the returned function is called. */
  listen(heard: (notice: Notice) => void): () => void;
  notify(notice: Notice): void;
}

export function createLiveFeed(): LiveFeed {
  const listeners = new Set<(notice: Notice) => void>();
  return {
    listen(heard) {
      listeners.add(heard);
      return () => void listeners.delete(heard);
    },
    notify: (notice) => listeners.forEach((heard) => heard(notice)),
  };
}

export interface Announcer {
  announce(change: WorkChange): void;
  close(): Promise<void>;
}

const windowMs = 1_000;
const changesPerWindow = 100;

/**
 * Publishes at most a hundred changes a second individually; further changes become one notice at the end of that
 * second.
 */
export function createAnnouncer({
  publish,
  ids,
}: {
  readonly publish: (message: OutboundMessage) => Promise<unknown>;
  readonly ids: Ids;
}): Announcer {
  const stop = new AbortController();
  let sent = 0;
  let many = false;
  let window: Promise<void> | undefined;
  const send = (subject: string, body: Readonly<Record<string, unknown>>) =>
    publish({ subject, id: ids.next(), type: workChangedType, body }).then(
      () => undefined,
      () => undefined,
    );
  const openWindow = async () => {
    await delay(windowMs, undefined, { signal: stop.signal }).catch(() => undefined);
    if (many) await send(manyChangedSubject, {});
    sent = 0;
    many = false;
    window = undefined;
  };
  return {
    announce(change) {
      window ??= openWindow();
      if (sent >= changesPerWindow) {
        many = true;
        return;
      }
      sent += 1;
      void send(workChangedSubject(change.kind), { ...change });
    },
    async close() {
      stop.abort();
      await window;
    },
  };
}
