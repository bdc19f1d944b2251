// `npm run ops -- …`: hands an off-line investigation to the command of the service that owns the record, which its
// second word names. Each service keeps its own command, because only it may write its own records.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
/** Makes the start of a command cheap. */
const compileCache = join(root, 'infra/local/compile-cache.cjs');
const owners = { 'webhook-event': 'billing-webhook', 'provisioning-attempt': 'provisioning' };
const services = ['operator', ...Object.values(owners)];
const commandOf = (service) => join(root, 'dist/services', service, 'ops.js');

/** The key that signs exported cases: of the environment, else the local platform's (infra/local/parts.ts). */
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

const args = process.argv.slice(2);
const [command, kind = ''] = args;
if (command === undefined || command === 'help' || command === '--help') {
  const present = services.filter((service) => existsSync(commandOf(service)));
  process.exitCode = Math.max(
    ...present.map((service) => {
      const status = run(service, ['--help']);
      console.log();
      return status;
    }),
  );
} else if (command === 'audit') {
  // Each service keeps the trail of its own records.
  delete process.env.MONGODB_DATABASE;
  process.exitCode = Math.max(...services.map((service) => run(service, args)));
} else if (command === 'migrate') {
  // Each service migrates its own database; what one of them has left to do does not keep the others from theirs.
  delete process.env.MONGODB_DATABASE;
  process.exitCode = Math.max(...[...services, 'lifecycle-delivery'].map((service) => run(service, args)));
} else {
  process.exitCode = run(owners[kind.replace(/s$/, '')] ?? 'operator', args);
}
