/**
 * Revoked tokens: a file whose lines contain the id of a token (`jti`), or `sub:` and a subject; `#` after a space or at
 * the beginning of a line begins a comment. It is read again within seconds of a change, so no restart is needed.
 */
import { readFileSync, statSync } from 'node:fs';

/** Whether the token with this id and subject was revoked. */
export type Revoked = (token: { readonly id: string; readonly subject: string }) => boolean;

/** How often the file is checked for a change. */
const lookEveryMs = 2_000;

/**
 * Throws when the file cannot be read at the start. If it cannot be read later, the last list stays in force, so
 * deleting the file makes no token valid again.
 */
export function openRevokedTokens(file: string, now: () => number = () => performance.now()): Revoked {
  let lines = readLines(file);
  let signature = signatureOf(file);
  let lookedAt = now();
  return ({ id, subject }) => {
    if (now() - lookedAt >= lookEveryMs) {
      lookedAt = now();
      const seen = signatureOf(file);
      if (seen !== undefined && seen !== signature) {
        const read = readAgain(file);
        if (read) [lines, signature] = [read, seen];
      }
    }
    return lines.has(id) || lines.has(`sub:${subject}`);
  };
}

/**
 * A line counts as it is, and without its comment and the space after `sub:`: people write the list in a hurry, and a
 * line that revokes nothing is not noticed.
 */
function readLines(file: string): ReadonlySet<string> {
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line) => [line, line.replace(/(^|\s)#.*/, '')])
    .map((line) => line.trim().replace(/^sub:\s+/, 'sub:'));
  return new Set(lines.filter((line) => line !== '' && !line.startsWith('#')));
}

/** The lines, or undefined while the file cannot be read. */
function readAgain(file: string): ReadonlySet<string> | undefined {
  try {
    return readLines(file);
  } catch {
    return undefined;
  }
}

function signatureOf(file: string): string | undefined {
  try {
    const { size, mtimeNs, ino } = statSync(file, { bigint: true });
    return `${size} ${mtimeNs} ${ino}`;
  } catch {
    return undefined;
  }
}
