/** A session of one person in the console or the owner's pages. It ends by signing out, by its age, and when it is not used. */
import type { Revisioned } from '@platform/kernel';

export interface ConsoleSession<Role extends string = string> extends Revisioned {
  /** SHA-256 of the cookie's content, so that a person who reads the store gets no session. */
  readonly _id: string;
  readonly subject: string;
  readonly email: string;
  readonly role: Role;
  /** Consumer services of the person's teams; absent: of no team. */
  readonly consumers?: readonly string[];
  /** The owner's workspaces and the role in each; absent for people who use the console. */
  readonly workspaces?: Readonly<Record<string, 'owner' | 'member'>>;
  /** The end by age; no use extends it. */
  readonly endsAt: Date;
  /** The last use, to the minute. */
  readonly usedAt: Date;
}

export interface SessionLimits {
  readonly lifeMs: number;
  readonly idleMs: number;
}

/** A use is noted when the last noted one is this old, because each note costs a write. */
const notedEveryMs = 60_000;

export function hasEnded({ endsAt, usedAt }: ConsoleSession, { idleMs }: SessionLimits, now: Date): boolean {
  return now >= endsAt || now.getTime() - usedAt.getTime() >= idleMs;
}

/** Whether enough time has passed since the last noted use to write this one. */
export function isNoted({ usedAt }: ConsoleSession, now: Date): boolean {
  return now.getTime() - usedAt.getTime() >= notedEveryMs;
}
