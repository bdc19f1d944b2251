/**
 * Faults on demand: failures between a client and the provider, set for the next matching requests. They are not part
 * of the state, because they belong to the experiment and not to the provider.
 */
import { hashText } from './ids';

export const faultKinds = [
  'lose_answer_after',
  'lose_answer_before',
  'cut_answer',
  'status_500',
  'rate_limit',
  'refuse_connection',
  'hold',
] as const;
type FaultKind = (typeof faultKinds)[number];

interface FaultRequest {
  match?: { method?: string | undefined; path?: string | undefined } | undefined;
  fault: FaultKind;
  /** How many requests the fault affects; null: until it is removed. */
  times?: number | null | undefined;
  /** `cut_answer`: how many bytes of the body are still sent. */
  bytes?: number | undefined;
  /** `status_500`: whether the effect happens although the answer is 500. */
  effect?: boolean | undefined;
  /** `refuse_connection`: after how long the port listens again automatically. */
  durationMs?: number | undefined;
}

export interface Fault {
  id: string;
  match: { method: string; path: string };
  fault: FaultKind;
  remaining: number | null;
  struck: number;
  /** The requests that it holds now. */
  held: string[];
  bytes: number;
  effect: boolean;
  durationMs: number;
}

export interface Faults {
  add(request: FaultRequest): Fault;
  list(): Fault[];
  /** Removes one fault or all, and releases every request that they hold. */
  remove(id?: string): number;
  /** The fault for this request, counted down. */
  take(method: string, path: string): Fault | undefined;
  /** Holds a request under a `hold` fault until released. */
  wait(fault: Fault, requestId: string): Promise<void>;
  /** Lets held requests continue: those of one fault or all. Returns how many. */
  release(id?: string): number;
}

/** Whether a path matches a pattern: `*` stands for one segment's characters, `**` for anything. */
export function matchesPath(pattern: string, path: string): boolean {
  const source = pattern
    .split(/(\*\*|\*)/)
    .map((part) => (part === '**' ? '.*' : part === '*' ? '[^/]*' : part.replace(/[.+?^${}()|[\]\\]/g, '\\$&')))
    .join('');
  return new RegExp(`^${source}$`).test(path);
}

/** An empty set of faults; removing one releases everything that it holds. */
export function createFaults(): Faults {
  let faults: Fault[] = [];
  let made = 0;
  const heldRequests = new Map<string, { fault: string; open: () => void }>();

  function release(id?: string): number {
    const open = [...heldRequests].filter(([, held]) => id === undefined || held.fault === id);
    for (const [requestId, held] of open) {
      heldRequests.delete(requestId);
      held.open();
    }
    return open.length;
  }

  return {
    add({ match, fault, times, bytes, effect, durationMs }) {
      made += 1;
      const added: Fault = {
        id: `fault_${hashText(8, 'fault', made)}`,
        match: { method: (match?.method ?? '*').toUpperCase(), path: match?.path ?? '**' },
        fault,
        // The port itself refuses, at once and for a while, so no request reaches the fault.
        remaining: fault === 'refuse_connection' ? 0 : times === undefined ? 1 : times,
        struck: 0,
        held: [],
        bytes: bytes ?? 20,
        effect: effect ?? false,
        durationMs: durationMs ?? 1_000,
      };
      faults.push(added);
      return added;
    },
    list: () => faults,
    remove(id) {
      const removed = faults.filter((each) => id === undefined || each.id === id);
      faults = faults.filter((each) => !removed.includes(each));
      for (const each of removed) release(each.id);
      return removed.length;
    },
    take(method, path) {
      const fault = faults.find(
        (each) =>
          each.remaining !== 0 &&
          (each.match.method === '*' || each.match.method === method) &&
          matchesPath(each.match.path, path),
      );
      if (!fault) return undefined;
      fault.struck += 1;
      if (fault.remaining !== null) fault.remaining -= 1;
      return fault;
    },
    async wait(fault, requestId) {
      fault.held.push(requestId);
      await new Promise<void>((open) => heldRequests.set(requestId, { fault: fault.id, open }));
      fault.held.splice(fault.held.indexOf(requestId), 1);
    },
    release,
  };
}
