/**
 * The recorded data of an earlier release (test/acceptance/upgrade/record.mjs), whose provider sends events to a new
 * address.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliDecompressSync } from 'node:zlib';
import { findRoot, portOffsets } from '../../infra/local/settings';

export interface EarlierRelease {
  readonly release: string;
  /** The port base of the recorded platform. */
  readonly base: number;
  /** The recorded status of every operation, by id. */
  readonly operations: Readonly<Record<string, { readonly tenantId: string; readonly status: string }>>;
}

export const earlierRelease = '0.1.0';

/** `receiver`: scheme, host and port of the new receiver of events. */
export async function unpackEarlierRelease(folder: string, receiver: string): Promise<EarlierRelease> {
  mkdirSync(folder, { recursive: true });
  const packed = readFileSync(join(findRoot(__dirname), `test/acceptance/upgrade/release-${earlierRelease}.tar.br`));
  const archive = join(folder, 'recorded.tar');
  writeFileSync(archive, brotliDecompressSync(packed));
  await promisify(execFile)('tar', ['-xf', archive, '-C', folder]);
  rmSync(archive);
  const recorded = JSON.parse(readFileSync(join(folder, 'recorded.json'), 'utf8')) as EarlierRelease;
  const provider = join(folder, 'provider-twin.json');
  const before = readFileSync(provider, 'utf8');
  const then = `http://127.0.0.1:${recorded.base + portOffsets.billingWebhook}/`;
  if (!before.includes(then)) throw new Error(`the recorded provider sends no events to ${then}`);
  writeFileSync(provider, before.replaceAll(then, `${receiver}/`));
  return recorded;
}
