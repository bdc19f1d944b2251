// `npm run format`: Prettier over the repository or some paths. Files that were in order are remembered in a cache.
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import commandLine from '../libs/command-line/src/index.cjs';
import command from './format.command.cjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

function format({ words, values: { check } }) {
  const program = join(root, 'node_modules/prettier/bin/prettier.cjs');
  const cache = ['--cache', '--cache-location', join(root, '.local/cache/prettier'), '--log-level', 'warn'];
  const paths = words.length > 0 ? words : [root];
  const { status } = spawnSync(process.execPath, [program, check ? '--check' : '--write', ...cache, ...paths], {
    stdio: 'inherit',
  });
  if (status === 0) console.log(check ? 'Everything is formatted.' : 'Formatted.');
  return status ?? commandLine.exitCodes.failed;
}

await commandLine.runCommand(command, format);
