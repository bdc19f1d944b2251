// `npm run ops -- …`: hands an off-line investigation to the command of the service that owns the record, which its
// second word names. Each service keeps its own command, because only it may write its own records.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const owners = { 'webhook-event': 'billing-webhook', 'provisioning-attempt': 'provisioning' };
const services = ['operator', ...Object.values(owners)];
const commandOf = (service) => join(root, 'dist/services', service, 'ops.js');

function run(service, args) {
  return spawnSync(process.execPath, [commandOf(service), ...args], { stdio: 'inherit' }).status ?? 1;
}

const args = process.argv.slice(2);
const [command, kind = ''] = args;
if (command === undefined || command === 'help' || command === '--help') {
  const present = services.filter((service) => existsSync(commandOf(service)));
  process.exitCode = Math.max(...present.map((service) => {
    const status = run(service, ['--help']);
    console.log();
    return status;
  }));
} else {
  process.exitCode = run(owners[kind.replace(/s$/, '')] ?? 'operator', args);
}
