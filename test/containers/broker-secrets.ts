/** Broker credentials and the certificates of its links change while the broker runs in the delivered containers. */
import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startMessages } from './messages';
import { run, tryRun } from './run';
import { expectLifecycle, type Scene, type Stage } from './stage';
import { brokerClients } from './stand-ins';

/** The entrypoint checks every 30 s, and later on a busy machine. */
const brokerLooksMs = 60_000;

/** Containers mount the file itself: they see a file that is rewritten in place, but not one that replaces it. */
function overwrite(path: string, text: string): void {
  chmodSync(path, 0o644);
  writeFileSync(path, text);
  chmodSync(path, 0o444);
}

/** Rotates the key of a team with the delivered command: two keys are valid, then the older one is retired. */
async function rotateTeamKey(stage: Stage, folder: string): Promise<void> {
  const change = (step: string) =>
    tryRun(process.execPath, ['dist/infra/nats/team.js', 'storage', '--secrets', folder, step], { cwd: stage.root });
  const rotated = await change('--rotate');
  stage.expect('a second key of the team is made', /also valid/.test(rotated.output), rotated.output);
  await delay(brokerLooksMs);
  const retired = await change('--retire');
  stage.expect('the older one is retired', retired.code === 0 && !/also valid/.test(retired.output), retired.output);
  await delay(brokerLooksMs);
  await expectLifecycle(stage, 'globex', 'team-key');
}

/**
 * Moves the broker's certificates to a new authority in three steps: all parties trust both authorities, the
 * certificates are replaced, the old authority is removed. Members of a cluster present their certificates to each
 * other as well.
 */
export async function rotateCertificates(stage: Stage): Promise<void> {
  const { secrets, checkout } = stage.deployment;
  const folder = join(checkout, '.local/compose-secrets');
  const fresh = join(checkout, '.local/fresh-secrets');
  rmSync(fresh, { recursive: true, force: true });
  await run(process.execPath, ['infra/docker/make-secrets.mjs', fresh], {
    cwd: checkout,
    env: { STRIPE_SECRET_KEY: 'sk_test_unused', STRIPE_WEBHOOK_SECRET: 'whsec_unused' },
  });
  const made = (name: string): string => readFileSync(join(fresh, name), 'utf8');
  const change = (name: string, text: string): void => overwrite(join(folder, name), text);
  change('nats_ca', `${secrets.read('nats_ca')}\n${made('nats_ca')}`);
  await stage.deployment.replace(...brokerClients);
  await delay(brokerLooksMs);
  for (const name of ['nats_tls_certificate', 'nats_tls_key']) change(name, made(name));
  await delay(brokerLooksMs);
  change('nats_ca', made('nats_ca'));
  await delay(brokerLooksMs);
  await stage.deployment.replace(...brokerClients);
  stage.expect(
    'services that know the new authority alone are ready',
    (await (await stage.gateway()).get('/api/saas/plans')).status === 200,
  );
}

/** The service's figure, read inside its container because the port is not published. */
async function daysLeftOf({ deployment, engine }: Stage, service: string): Promise<number> {
  const program =
    "fetch('http://127.0.0.1:7015/metrics').then((r) => r.text()).then((t) => console.log(/^broker_certificate_days_left\\{.*\\} (.*)$/m.exec(t)[1]))";
  return Number(await engine.docker(['exec', await deployment.containerOf(service), 'node', '-e', program]));
}

export const brokerSecrets: Scene = {
  name: 'broker-secrets',
  title: 'The key of a team and the certificate change while the broker runs',
  async play(stage) {
    const { deployment, expect } = stage;
    const folder = join(deployment.checkout, '.local/compose-secrets');
    const broker = await deployment.containerOf('nats');
    await rotateTeamKey(stage, folder);
    const [load, messages] = [await stage.load('certificate'), await startMessages(stage, 'initech', 'certificate')];
    await rotateCertificates(stage);
    await messages.stop();
    await stage.expectWhole(load);
    await expectLifecycle(stage, 'globex', 'certificate');
    const left = await daysLeftOf(stage, 'operator');
    expect('and the services see when the new certificate ends', left > 800 && left < 826, left);
    expect('by the same container of the broker', (await deployment.containerOf('nats')) === broker);
  },
};
