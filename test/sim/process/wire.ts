/** What is read of bytes and arguments on their way into the network. */
import type { NetConnectOpts } from 'node:net';

/** The address in the forms of `net.connect`. */
export function targetOf(given: readonly unknown[]): { readonly port: number; readonly allowHalfOpen: boolean } {
  const [first, second] = Array.isArray(given[0]) ? (given[0] as unknown[]) : given;
  if (typeof first === 'object' && first !== null) {
    const { port, allowHalfOpen = false } = first as NetConnectOpts & { port: number | string };
    return { port: Number(port), allowHalfOpen };
  }
  return { port: Number(first), allowHalfOpen: typeof second === 'object' };
}

/** A change of the store that a process asks for. */
export interface Change {
  readonly collection: string;
  /** It leaves a message to be sent in the record that it writes. */
  readonly announces: boolean;
  /** It makes a record. */
  readonly begins: boolean;
}

/** Where the name of a command begins in a message to the store: after the header, flags and the start of its document. */
const nameAt = 26;
const longest = 100;
const changing = /^(insert|update|delete|findAndModify)\0[^]{4}([^\0]+)\0/;
/** A new record has the array of its messages; a change adds to it, and nothing else is added to an array. */
const outboxOf = (command: string): string => (command === 'insert' ? '\x04outbox\0' : '$push\0');

/** The change that these bytes ask the store for; undefined for other bytes. */
export function changeIn(bytes: Buffer): Change | undefined {
  const [, command, collection] = changing.exec(bytes.toString('latin1', nameAt, nameAt + longest)) ?? [];
  if (command === undefined || collection === undefined) return undefined;
  const announces = bytes.includes(outboxOf(command), nameAt, 'latin1');
  return { collection, announces, begins: command === 'insert' };
}

const httpMethods = new Set(['POST', 'PUT ', 'DELE']);

/** The operation that a request over HTTP names; undefined for other bytes. */
export function operationAskedFor(bytes: Buffer): string | undefined {
  if (!httpMethods.has(bytes.toString('latin1', 0, 4))) return undefined;
  return /"operationId":"([^"]+)"/.exec(bytes.toString('latin1'))?.[1];
}
