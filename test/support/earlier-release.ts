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

interface Delivery {
  readonly status: 'pending' | 'delivered' | 'failed';
}

type Change = readonly [table: string, id: string, row: Delivery | null];

export const earlierRelease = '0.1.0';

/**
 * `receiver`: scheme, host and port of the new receiver of events. `owed`: how many of the events that the provider
 * still has to deliver it delivers, the last ones; it has given the others up.
 */
export async function unpackEarlierRelease(
  folder: string,
  receiver: string,
  owed = Number.POSITIVE_INFINITY,
): Promise<EarlierRelease> {
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
  writeFileSync(provider, givingUp(before, owed).replaceAll(then, `${receiver}/`));
  return recorded;
}

/** The provider's journal with one more line, in which it gives up all deliveries but the last `owed` ones. */
function givingUp(journal: string, owed: number): string {
  const pending = new Map<string, Delivery>();
  const [, ...lines] = journal.trimEnd().split('\n');
  for (const line of lines)
    for (const [table, id, row] of JSON.parse(line) as readonly Change[]) {
      if (table !== 'delivery') continue;
      if (row?.status === 'pending') pending.set(id, row);
      else pending.delete(id);
    }
  const over = [...pending].slice(0, Math.max(0, pending.size - owed));
  if (over.length === 0) return journal;
  const changes = over.map(([id, row]): Change => ['delivery', id, { ...row, status: 'failed' }]);
  return `${journal.trimEnd()}\n${JSON.stringify(changes)}\n`;
}
