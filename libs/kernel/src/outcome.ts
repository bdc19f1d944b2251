/**
 * Law 2, three outcomes: an effect succeeded, failed (proven: it did not and will not happen) or is unknown. Only an
 * adapter creates one; whatever it cannot prove is `unknown`.
 */
export interface Succeeded<T> {
  readonly outcome: 'succeeded';
  readonly value: T;
}

/** `code` is stable and from the table of codes; `message` is for people and contains no secret. */
export interface Failed {
  readonly outcome: 'failed';
  readonly code: string;
  readonly message: string;
  /** Provider codes and similar values: plain strings that are safe to store and to show. */
  readonly detail?: Readonly<Record<string, string>>;
}

export interface Unknown {
  readonly outcome: 'unknown';
  readonly reason: string;
}

export type Outcome<T> = Succeeded<T> | Failed | Unknown;

export function succeeded<T>(value: T): Succeeded<T> {
  return { outcome: 'succeeded', value };
}

export function failed(code: string, message: string, detail?: Readonly<Record<string, string>>): Failed {
  return detail ? { outcome: 'failed', code, message, detail } : { outcome: 'failed', code, message };
}

export function unknown(reason: string): Unknown {
  return { outcome: 'unknown', reason };
}
