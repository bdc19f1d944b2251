import { sha256 } from '@platform/kernel';

/** The same for one address however its letters are written; by it a person is recognised without the address. */
export const emailDigest = (address: string): string => sha256(`email:${address.trim().toLowerCase()}`);
