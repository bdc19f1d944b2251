/** Secrets of one local platform: created once, readable only by their owner, different in every LOCAL_DIR. */
import { randomBytes } from 'node:crypto';
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from './local-folder.cjs';

export interface LocalSecrets {
  /** The broker's passwords and the key of exported cases are derived from it. */
  readonly localSecret: string;
  readonly providerKey: string;
  readonly webhookSecret: string;
}

interface EarlierSecrets {
  readonly jwtSecret: string;
}

/**
 * The secrets of `localDir`, created when there are none. `providerKey` of the environment takes precedence over the
 * twin's.
 */
export function readSecrets(localDir: string, providerKey?: string): LocalSecrets {
  const file = join(localDir, 'secrets.json');
  const stored = readStored(file) ?? makeSecrets(localDir, file);
  return providerKey ? { ...stored, providerKey } : stored;
}

function readStored(file: string): LocalSecrets | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  // Release 0.1.0 named the first one jwtSecret.
  const { jwtSecret, localSecret = jwtSecret, ...rest } = readObject(text);
  const { providerKey, webhookSecret } = rest;
  if (!localSecret || !providerKey || !webhookSecret) {
    throw new Error(`${file} is incomplete; remove it and start again (tokens made before become invalid)`);
  }
  return { localSecret, providerKey, webhookSecret };
}

/** Empty for a torn file, which a machine that lost its power can leave. */
function readObject(text: string): Partial<LocalSecrets & EarlierSecrets> {
  try {
    return JSON.parse(text) as Partial<LocalSecrets & EarlierSecrets>;
  } catch {
    return {};
  }
}

/**
 * Two commands may run this at once: the file is written as a whole, and the later one uses the earlier one's secrets.
 */
function makeSecrets(localDir: string, file: string): LocalSecrets {
  const made: LocalSecrets = {
    localSecret: randomBytes(32).toString('hex'),
    providerKey: `sk_test_${randomBytes(16).toString('hex')}`,
    webhookSecret: `whsec_${randomBytes(24).toString('hex')}`,
  };
  makeFolder(localDir);
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(made, null, 2)}\n`, { mode: 0o600 });
  try {
    linkSync(draft, file);
    return made;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return readStored(file) ?? made;
  } finally {
    rmSync(draft, { force: true });
  }
}
