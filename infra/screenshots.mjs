// `npm run screenshots`: runs the suites that take the pictures of docs/screenshots, one after another.
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const suites = [
  'an-operator-investigates',
  'an-owner-has-pages',
  'people-sign-in',
  'people-read-charts',
  'acceptance/pages/studio',
];

const { status } = spawnSync(process.execPath, ['node_modules/jest/bin/jest.js', '--runInBand', ...suites], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, SCREENSHOTS: '1' },
});
console.log(
  status === 0
    ? 'screenshots: docs/screenshots is up to date; look at the pictures before you commit them'
    : 'screenshots: a suite failed, so some pictures may be missing; its message is above',
);
process.exitCode = status ?? 1;
