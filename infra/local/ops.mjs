// `npm run ops -- …`: hands an off-line investigation to the command of the service that owns the record, which its
// second word names. Each service keeps its own command, because only it may write its own records.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import commandLine from '../../libs/command-line/src/index.cjs';
import command from './ops.command.cjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
/** Makes the start of a command cheap. */
const compileCache = join(root, 'infra/local/compile-cache.cjs');
const owners = { 'webhook-event': 'billing-webhook', 'provisioning-attempt': 'provisioning', deletion: 'provisioning' };
const services = ['operator', ...new Set(Object.values(owners))];
const commandOf = (service) => join(root, 'dist/services', service, 'ops.js');

/** The key that signs exported cases: of the environment, else the local platform's (infra/local/service-parts.ts). */
function signingKey() {
  if (process.env.CASE_SIGNING_KEY) return { CASE_SIGNING_KEY: process.env.CASE_SIGNING_KEY };
  const file = join(resolve(root, process.env.LOCAL_DIR ?? '.local'), 'secrets.json');
  if (!existsSync(file)) return {};
  const { jwtSecret } = JSON.parse(readFileSync(file, 'utf8'));
  return { CASE_SIGNING_KEY: createHash('sha256').update(`case signing key of ${jwtSecret}`).digest('hex') };
}

function run(service, args) {
  const own = service === 'operator' ? signingKey() : {};
  return (
    spawnSync(process.execPath, ['--require', compileCache, commandOf(service), ...args], {
      stdio: 'inherit',
      env: { ...process.env, ...own },
    }).status ?? 1
  );
}

/** The services that a command concerns. Each keeps the trail of its own records and migrates its own database. */
function servicesOf(name) {
  if (name === 'audit verify') return services;
  if (name === 'migrate') return [...services, 'lifecycle-delivery'];
  const kind = name.split(' ')[1] ?? '';
  return [owners[kind.replace(/s$/, '')] ?? 'operator'];
}

await commandLine.runCommand(command, ({ command: name }) => {
  const concerned = servicesOf(name);
  if (concerned.length > 1) delete process.env.MONGODB_DATABASE;
  // What one of them finds does not keep the others from their part.
  return Math.max(...concerned.map((service) => run(service, process.argv.slice(2))));
});
