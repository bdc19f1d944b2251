/** `dist/infra/local/seed.js`: seeds the local platform once and leaves a marker, so that later starts skip it. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { seededMarker } from './infrastructure-parts';
import { seedPlans, seedWorkspaces } from './seed-catalog';
import { seedPlatform } from './seed-platform';
import { findRoot, readSettings } from './settings';

async function main(): Promise<void> {
  const settings = readSettings(process.env, findRoot());
  const written = await seedPlatform(settings, seedPlans, seedWorkspaces);
  writeFileSync(join(settings.localDir, seededMarker), `${JSON.stringify({ at: new Date().toISOString() })}\n`);
  process.stdout.write(`${written}\n`);
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
