// Records the data of an earlier release for the suite beside it: builds the release from the git history in a
// temporary folder, starts it, plays its own demo, leaves work of every kind open, kills everything at once, and packs
// the data of the store, the broker, the provider and the consumers, with the operations as the old gateway returns
// them. node test/acceptance/upgrade/record.mjs ff6b65cc 0.1.0
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { brotliCompressSync, constants } from 'node:zlib';

const [commit, release] = process.argv.slice(2);
const base = 25_200;
const here = import.meta.dirname;
const folder = mkdtempSync(join(tmpdir(), 'earlier-release-'));
const [root, localDir] = [join(folder, 'root'), join(folder, 'data')];
const env = { ...process.env, LOCAL_DIR: localDir, PORT_BASE: String(base) };
const run = (program, args, options = {}) =>
  execFileSync(program, args, { cwd: root, env, encoding: 'utf8', maxBuffer: 2 ** 30, ...options });
const gateway = `http://127.0.0.1:${base + 10}`;
const tokenOf = (...words) => run(process.execPath, ['dist/infra/local/token.js', ...words]).trim();

async function ask(token, path, body) {
  const answer = await fetch(gateway + path, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  return answer.json();
}

async function until(what, look) {
  for (let tries = 0; tries < 300; tries += 1) {
    const seen = await Promise.resolve()
      .then(look)
      .catch(() => undefined);
    if (seen) return seen;
    await delay(200);
  }
  throw new Error(`never: ${what}`);
}

function build() {
  mkdirSync(root);
  const archive = join(folder, 'release.tar');
  execFileSync('git', ['archive', '--output', archive, commit], { cwd: join(here, '../../..') });
  run('tar', ['-xf', archive]);
  run('npm', ['ci', '--no-audit', '--no-fund'], { stdio: 'inherit' });
  run(process.execPath, ['infra/build.mjs'], { stdio: 'inherit' });
}

/** The work that is open when the release ends. */
async function leaveWorkOpen(owner, pids) {
  // A consumer that does not read: a suspension waits for its receipt, and a creation for its answer.
  process.kill(pids['storage-consumer'], 'SIGSTOP');
  const suspend = '/api/saas/workspaces/globex/suspend';
  await ask(owner, suspend, { operationId: 'upgrade-suspend' });
  await until('the receipt of the other consumer', async () => {
    const { deliveries } = await ask(owner, '/api/saas/lifecycle/deliveries?limit=100');
    return deliveries.some(({ operationId, status }) => operationId === 'upgrade-suspend' && status === 'succeeded');
  });
  const creation = {
    workspaceName: 'Under way',
    planId: 'starter',
    paymentMethodId: 'pm_card_visa',
    billingProfile: { name: 'Ann', country: 'GB' },
    extras: { storageRegion: 'eu' },
  };
  const person = tokenOf('--role', 'user', '--email', 'ann@upgrade.example');
  const ended = ask(person, '/api/saas/workspaces', creation).catch(() => 'cut off');
  await Promise.race([ended, delay(3_000)]);
  // A gateway that does not answer: the provider's event waits for its owner.
  process.kill(pids['operator'], 'SIGSTOP');
  const { providerKey } = JSON.parse(readFileSync(join(localDir, 'secrets.json'), 'utf8'));
  const changed = await fetch(`http://127.0.0.1:${base + 90}/v1/subscriptions/sub_initech`, {
    method: 'POST',
    headers: { authorization: `Bearer ${providerKey}`, 'content-type': 'application/x-www-form-urlencoded' },
    body: 'cancel_at_period_end=true',
  });
  if (!changed.ok) throw new Error(`the provider answered ${changed.status}`);
  await delay(3_000);
}

/** Every operation by its id, with its workspace and the status in which the release left it. */
async function operationsOf(owner) {
  const { operations, nextCursor } = await ask(owner, '/api/saas/operations?limit=100');
  if (nextCursor) throw new Error('the demo makes more operations than one page holds');
  return Object.fromEntries(operations.map(({ operationId, tenantId, status }) => [operationId, { tenantId, status }]));
}

build();
const started = spawn(process.execPath, ['dist/infra/local/start.js'], { cwd: root, env, stdio: 'ignore' });
await until(
  'the release is ready',
  async () => (await fetch(`${gateway}/readyz`)).ok && readdirSync(join(localDir, 'pids')).length >= 11,
);
console.log(run(process.execPath, ['dist/infra/local/demo.js']).split('\n').at(-2));
const pids = Object.fromEntries(
  readdirSync(join(localDir, 'pids'))
    .map((name) => JSON.parse(readFileSync(join(localDir, 'pids', name), 'utf8')))
    .map(({ name, pid }) => [name, pid]),
);
const owner = tokenOf('--role', 'platform_owner');
const operations = await operationsOf(owner);
await leaveWorkOpen(owner, pids);
started.kill('SIGKILL');
for (const pid of Object.values(pids)) if (pid !== started.pid) process.kill(pid, 'SIGKILL');
await delay(1_000);
writeFileSync(join(localDir, 'recorded.json'), JSON.stringify({ release, commit, base, operations }, null, 2));
for (const name of ['logs', 'pids']) rmSync(join(localDir, name), { recursive: true });
const tar = run('tar', ['-cf', '-', '-C', localDir, '.'], { encoding: 'buffer' });
const best = { params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24 } };
writeFileSync(join(here, `release-${release}.tar.br`), brotliCompressSync(tar, best));
rmSync(folder, { recursive: true });
