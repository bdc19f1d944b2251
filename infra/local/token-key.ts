/**
 * The key that signs the local platform's tokens: in a separate file that only the token command reads. The services
 * get the public half, which is in a file beside it.
 */
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newSigningKey, publicKeySet } from '@platform/http-server';

/** The private key of `localDir`, created when there is none. */
export function readSigningKey(localDir: string): string {
  const file = join(localDir, 'token-signing-key');
  return readText(file, 'token-keys.json') ?? keep(localDir, file, newSigningKey());
}

/** The public keys with which the services of `localDir` verify tokens; a rotation puts two into the file. */
export function readPublicKeys(localDir: string): string {
  const file = join(localDir, 'token-keys.json');
  return readText(file) ?? keep(localDir, file, publicKeySet(readSigningKey(localDir)));
}

/** `fromIt`: the file that is made from it. */
function readText(file: string, fromIt?: string): string | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  // As a machine that lost its power can leave it.
  if (text === '') throw new Error(`${file} is empty; remove it${fromIt ? ` and ${fromIt}` : ''} and start again`);
  return text;
}

/** Two commands may run this at once: the file is written as a whole, and the later one uses the earlier one's file. */
function keep(localDir: string, file: string, text: string): string {
  mkdirSync(localDir, { recursive: true });
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, `${text}\n`, { mode: 0o600 });
  try {
    linkSync(draft, file);
    return text;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return readText(file) ?? text;
  } finally {
    rmSync(draft, { force: true });
  }
}
