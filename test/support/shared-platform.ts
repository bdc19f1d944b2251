/**
 * One running platform for all suites that do not kill its parts, move its clock or leave an unresolved record: each
 * suite creates its own workspaces. The first suite that needs the platform starts it, and the run's guard stops it.
 */
import { spawn } from 'node:child_process';
import { closeSync, cpSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { compileCacheFlags } from '../../infra/local/compile-cache-flags';
import type { SeedWorkspace } from '../../infra/local/seed-catalog';
import { seedPlatform } from '../../infra/local/seed-platform';
import { findRoot } from '../../infra/local/settings';
import { onFreePorts } from './free-ports';
import { oncePerRun, runFolder } from './once-per-run';
import {
  addressesOf,
  buildBundles,
  platformEnvironment,
  settingsOf,
  type Place,
  type PlatformAddresses,
} from './platform';

export interface SharedPlatform extends PlatformAddresses {
  /** Adds active workspaces on the plans of the seed; only this suite uses their ids. */
  seed(
    workspaces: readonly (Pick<SeedWorkspace, 'tenantId' | 'planId'> & Partial<Pick<SeedWorkspace, 'workspaceName'>>)[],
  ): Promise<void>;
}

const root = findRoot(__dirname);
const pollEveryMs = 50;

export async function sharedPlatform(): Promise<SharedPlatform> {
  const place = await oncePerRun('shared-platform', startAnywhere);
  const settings = settingsOf(place);
  return {
    ...addressesOf(settings),
    seed: async (workspaces) => {
      const rows = workspaces.map((each) => ({ workspaceName: each.tenantId, ...each, status: 'active' as const }));
      await seedPlatform(settings, [], rows);
    },
  };
}

async function startAnywhere(): Promise<Place> {
  await buildBundles();
  return onFreePorts(async (portBase) => {
    const place = { portBase, localDir: join(runFolder(), `shared-platform-${portBase}`) };
    await start(place);
    return place;
  });
}

/**
 * The platform outlives the worker that starts it, so it has no message channel and reports on its output when it is
 * ready.
 */
async function start(place: Place): Promise<void> {
  const { localDir } = place;
  const log = join(localDir, 'start.log');
  // A copy, because the builder may write to the pages that it serves.
  const pages = join(localDir, 'pages');
  mkdirSync(localDir, { recursive: true });
  cpSync(join(root, 'services/query-builder/sample-project'), pages, { recursive: true });
  const output = openSync(log, 'a');
  const child = spawn(process.execPath, [...compileCacheFlags(root), join(root, 'dist/infra/local/start.js')], {
    cwd: root,
    env: { ...platformEnvironment(place), PAGE_PROJECT_DIR: pages },
    stdio: ['ignore', output, output],
    detached: true,
  });
  const late = join(runFolder(), 'late');
  mkdirSync(late, { recursive: true });
  writeFileSync(join(late, String(child.pid)), '');
  closeSync(output);
  child.unref();
  while (!readFileSync(log, 'utf8').includes('\nready after')) {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error(readFileSync(log, 'utf8'));
    await delay(pollEveryMs);
  }
}
