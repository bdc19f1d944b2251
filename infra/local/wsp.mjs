// `npm run wsp -- …`: `wsp` on the local platform unless the environment names another one: its gateway, with a token
// of a platform owner that is created for this command.
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import commandLine from '../../libs/command-line/src/index.cjs';
import command from '../../libs/wsp/src/wsp.command.cjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const [first] = process.argv.slice(2);

function localGateway() {
  if (process.env.WSP_URL) return {};
  const url = `http://127.0.0.1:${Number(process.env.PORT_BASE ?? 7000) + 10}`;
  if (process.env.WSP_TOKEN || process.env.WSP_TOKEN_FILE) return { WSP_URL: url };
  const program = join(root, 'dist/infra/local/token.js');
  const made = spawnSync(process.execPath, [program, '--role', 'platform_owner'], { encoding: 'utf8' });
  return { WSP_URL: url, ...(made.status === 0 && { WSP_TOKEN: made.stdout.trim() }) };
}

const answered = commandLine.answerCommandLine(commandLine.readCommandLine(command, process.argv.slice(2)));
if (answered !== undefined) process.exitCode = answered;
else if (first === 'ops') {
  process.argv.splice(2, 1);
  await import('./ops.mjs');
} else {
  Object.assign(process.env, localGateway());
  const require = createRequire(import.meta.url);
  // Makes the start of a command faster.
  require('./compile-cache.cjs');
  require(join(root, 'dist/libs/wsp/main.js'));
}
