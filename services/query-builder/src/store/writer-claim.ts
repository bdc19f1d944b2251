/**
 * Allows one writer per file among all processes. A claim is a small file that names its owner, created complete and in
 * one step. Elapsed time proves nothing here: a claim is valid until its owner releases it, or until the owner's
 * process has provably ended. Then only the process that claims the succession to exactly that owner may remove the
 * claim.
 */
import { randomUUID } from 'node:crypto';
import { basename, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { sha256 } from '@platform/kernel';
import { codeOf, isAbsent, type FileSystem } from './file-system';
import type { ProcessIdentity } from './process-identity';

export interface ClaimPorts {
  readonly fs: FileSystem;
  readonly identity: ProcessIdentity;
  hasEnded(identity: ProcessIdentity): boolean;
  /** How long to wait for other writers, in milliseconds. */
  readonly timeoutMs: number;
}

/** Another writer uses the file and does not finish. */
export class OccupiedError extends Error {
  override name = 'OccupiedError';
}

/**
 * Waits until this process is the file's only writer; returns the function that releases the claim. Throws
 * OccupiedError.
 */
export async function claimWriting(ports: ClaimPorts, path: string): Promise<() => Promise<void>> {
  const until = performance.now() + ports.timeoutMs;
  const nonce = randomUUID();
  for (let tries = 0; !(await tryClaim(ports, path, nonce)); tries += 1) {
    if (performance.now() > until) throw new OccupiedError('another writer works on the same file');
    await delay(Math.random() * Math.min(40, 2 + tries));
  }
  await removeLeftSuccessions(ports.fs, path).catch(() => undefined);
  return () => giveBack(ports, path, nonce);
}

/**
 * A succession applies to one claim that is never valid again; once another claim is valid, the succession decides
 * nothing.
 */
async function removeLeftSuccessions(fs: FileSystem, path: string): Promise<void> {
  const left = (await fs.readdir(dirname(path))).filter((name) => name.startsWith(`${basename(path)}.after-`));
  await Promise.all(left.map((name) => fs.unlink(join(dirname(path), name)).catch(() => undefined)));
}

async function giveBack({ fs }: ClaimPorts, path: string, nonce: string): Promise<void> {
  const standing = await readClaim(fs, path);
  if (standing?.nonce === nonce) await fs.unlink(path);
}

/** Creates the claim when there is none, and removes the claim of an ended process. */
async function tryClaim(ports: ClaimPorts, path: string, nonce: string): Promise<boolean> {
  const standing = await readClaim(ports.fs, path);
  if (!standing) return writeClaim(ports, path, nonce);
  if (standing.owner === undefined || ports.hasEnded(standing.owner)) await succeed(ports, path, standing.nonce);
  return false;
}

async function succeed(ports: ClaimPorts, path: string, gone: string): Promise<void> {
  const succession = `${path}.after-${sha256(gone).slice(0, 16)}`;
  const nonce = randomUUID();
  if (!(await tryClaim(ports, succession, nonce))) return;
  try {
    if ((await readClaim(ports.fs, path))?.nonce === gone) await ports.fs.unlink(path);
    await removeLeftNotes(ports, dirname(path));
  } finally {
    await giveBack(ports, succession, nonce);
  }
}

async function removeLeftNotes({ fs, hasEnded }: ClaimPorts, folder: string): Promise<void> {
  for (const name of (await fs.readdir(folder)).filter((each) => each.endsWith('.note'))) {
    const note = await readClaim(fs, join(folder, name));
    if (note?.owner && hasEnded(note.owner)) await fs.unlink(join(folder, name)).catch(() => undefined);
  }
}

/** The claim is written to another file first and then linked, so no process sees it incomplete. */
async function writeClaim({ fs, identity }: ClaimPorts, path: string, nonce: string): Promise<boolean> {
  const note = join(dirname(path), `.${nonce}.note`);
  const handle = await fs.open(note, 'wx', 0o600);
  try {
    await handle.writeFile(JSON.stringify({ nonce, ...identity }), 'utf8');
  } finally {
    await handle.close();
  }
  try {
    await fs.link(note, path);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  } finally {
    await fs.unlink(note);
  }
}

interface StandingClaim {
  readonly nonce: string;
  /** Absent when the text is not a claim, which happens only after a power loss. */
  readonly owner?: ProcessIdentity;
}

async function readClaim(fs: FileSystem, path: string): Promise<StandingClaim | undefined> {
  let text: string;
  try {
    text = await fs.readFile(path, 'utf8');
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
  try {
    const { nonce, ...owner } = JSON.parse(text) as { nonce: string } & ProcessIdentity;
    if (typeof nonce === 'string' && Number.isInteger(owner.pid)) return { nonce, owner };
  } catch {
    // The text is no claim.
  }
  return { nonce: `no claim: ${text}` };
}
