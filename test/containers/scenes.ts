/** The scenes of a deployment's day, in the order in which they are played. */
import { setTimeout as delay } from 'node:timers/promises';
import { randomBytes } from 'node:crypto';
import { newSigningKey, publicKeySet } from '@platform/http-server';
import { eventually } from '@platform/testing';
import { brokerSecrets, rotateCertificates } from './broker-secrets';
import { investigations } from './investigations';
import { untilMembersAgree } from './members';
import { startMessages } from './messages';
import { slowMachineMs } from './patience';
import { tryRun } from './run';
import { expectLifecycle, type Scene, type Stage } from './stage';
import { brokerClients, brokers, services } from './stand-ins';
import { upgrade } from './upgrade';

const settleMs = 3_000;
const demo: Scene = {
  name: 'demo',
  title: 'The demo, played by its own program against the containers',
  async play({ deployment, root, expect, show }) {
    const played = await tryRun(process.execPath, ['dist/infra/local/demo.js'], {
      cwd: root,
      env: { ...deployment.environment(), STRIPE_SECRET_KEY: '' },
    });
    const verdict = /(\d+) expectations held, (\d+) did not/.exec(played.output);
    if (played.code !== 0) show(played.output.split('\n').slice(-60).join('\n'));
    expect(`the demo holds: ${verdict?.[0] ?? 'no verdict'}`, played.code === 0 && verdict?.[2] === '0');
  },
};

const offLine: Scene = {
  name: 'ops',
  title: 'The off-line commands of people on call',
  async play({ deployment, expect }) {
    const listed = await deployment.ops('list', '--json');
    expect('ops list answers with the stopped operations', listed.code === 0, listed.output);
    const audit = await deployment.ops('audit', 'verify');
    expect('ops audit verify finds every trail whole', audit.code === 0, audit.output);
    await deployment.compose('stop', 'nats');
    const alone = await deployment.ops('list');
    await deployment.up(['nats']);
    expect('ops list answers while the broker is down', alone.code === 0, alone.output);
    const migrate = await deployment.tryCompose('run', '--rm', '-T', 'ops-migrate', 'migrate');
    expect('ops-migrate finds nothing to bring forward', migrate.code === 0, migrate.output);
  },
};

const rolling: Scene = {
  name: 'rolling',
  title: 'Rolling replacement of each service under load',
  async play(stage) {
    const { deployment, expect } = stage;
    const load = await stage.load('rolling');
    for (const name of services) {
      const before = await deployment.containerOf(name);
      await deployment.replace(name);
      expect(`${name} is replaced and ready`, (await deployment.containerOf(name)) !== before);
    }
    await stage.expectWhole(load);
    await expectLifecycle(stage, 'globex', 'rolled');
  },
};

/** Sends a person's signed request with the key before the rotation and with the key after it. */
async function statusWith(stage: Stage): Promise<number> {
  const client = await stage.gateway();
  return (await client.get('/api/saas/plans')).status;
}

const random = (): string => `k${randomBytes(32).toString('hex')}`;

async function rotateTokens(stage: Stage): Promise<void> {
  const { deployment, expect } = stage;
  const { secrets } = deployment;
  const [old, next] = [secrets.read('token_signing_key'), newSigningKey()];
  const before = await stage.gateway();
  const verifying = ['operator', 'operator-2', 'query-builder'];
  secrets.write('jwt_public_keys', publicKeySet(old, next));
  await deployment.replace(...verifying);
  // Every replica has the new key now, so the issuer signs with it.
  secrets.write('token_signing_key', next);
  const both = [(await before.get('/api/saas/plans')).status, await statusWith(stage)];
  expect('during the rotation tokens of the old and of the new key are accepted', both.join() === '200,200', both);
  secrets.write('jwt_public_keys', publicKeySet(next));
  await deployment.replace(...verifying);
  const after = [(await before.get('/api/saas/plans')).status, await statusWith(stage)];
  expect('after it the old key is refused', after.join() === '401,200', after);
}

async function rotateProvider({ deployment, twin, expect }: Stage): Promise<void> {
  const { secrets } = deployment;
  const webhook = secrets.read('webhook_secrets');
  secrets.write('stripe_secret_key', 'sk_test_rotated');
  secrets.write('webhook_secrets', `whsec_${randomBytes(24).toString('hex')},${webhook}`);
  await deployment.replace('operator', 'provisioning', 'billing-webhook');
  await deployment.replace('operator-2', 'provisioning-2', 'billing-webhook-2');
  const event = await twin.changeSubscription('acme', { 'metadata[rotated]': Date.now().toString(36) });
  // The twin also delivers the event itself; until that delivery is resolved, a second one gets an error.
  const accepted = await eventually(async () => (await twin.redeliver(event, 'normal')).at(-1) === 200, {
    describe: 'the event answered with 200',
    deadlineMs: slowMachineMs,
  }).catch((error: Error) => error.message);
  expect('a webhook that the old secret signed is accepted during the overlap', accepted === true, accepted);
  const refused = await twin.redeliver(event, 'wrong_secret');
  expect('one of a strange secret is refused', refused.at(-1) === 400, refused);
}

async function rotatePasswords(stage: Stage): Promise<void> {
  const { deployment } = stage;
  const { secrets } = deployment;
  // Rotates all users of the broker at once: first the broker's file, then every service that signs on.
  secrets.remove(/^nats_(passwords?(_|\.)|seed_)/);
  await secrets.make();
  await deployment.replace('nats');
  await deployment.replace(...brokerClients);
  await deployment.runJob('topology');
  // Rotates the users of the document store: new passwords, the set-up job again, then the services.
  secrets.remove(/^mongo_password_|^mongodb_url_|^mongo_root_password$/);
  await secrets.make();
  await deployment.replace('mongo');
  await deployment.replace(...services);
}

const rotation: Scene = {
  name: 'rotation',
  title: 'Rotation of every secret under load',
  async play(stage) {
    await rotateTokens(stage);
    const load = await stage.load('rotation');
    await rotateProvider(stage);
    await rotatePasswords(stage);
    await stage.expectWhole(load);
    await expectLifecycle(stage, 'globex', 'rotated');
    stage.deployment.secrets.write('case_signing_key', random());
    await stage.deployment.replace('operator', 'operator-2');
    stage.expect('the gateways serve with another signing key of cases', (await statusWith(stage)) === 200);
  },
};

const restore: Scene = {
  name: 'restore',
  title: 'Backup, disaster, restore onto an empty broker',
  async play(stage) {
    const { deployment, expect, twin } = stage;
    const credit = async (operationId: string): Promise<string> => {
      const client = await stage.gateway();
      await client.post('/api/saas/workspaces/acme/balance-credit', { operationId, amountCents: 5, reason: 'drill' });
      return (await client.settled('acme', operationId, slowMachineMs)).status;
    };
    const name = `drill-${Date.now().toString(36)}`;
    expect('a credit before the backup', (await credit(`${name}-before`)) === 'succeeded');
    await deployment.compose('stop', ...services);
    await deployment.compose('stop', 'mongo');
    await deployment.onVolumes({ mongo: '/data', backup: '/backup' }, 'rm -rf /backup/*; cp -a /data/. /backup/');
    await deployment.up();
    expect('a credit after the backup', (await credit(`${name}-after`)) === 'succeeded');
    await deployment.compose('stop', ...brokerClients);
    await deployment.compose('stop', 'mongo', 'nats');
    await deployment.onVolumes(
      { mongo: '/data', backup: '/backup', nats: '/nats' },
      'rm -rf /data/* /nats/*; cp -a /backup/. /data/',
    );
    await deployment.up(['mongo', 'nats']);
    await deployment.runJob('topology');
    await deployment.up();
    const client = await stage.gateway();
    const path = (which: string): string => `/api/saas/workspaces/acme/operations/${name}-${which}`;
    const [kept, lost] = await Promise.all([client.get(path('before')), client.get(path('after'))]);
    expect('the journal knows what was before the backup', kept.status === 200, kept.status);
    expect(
      'what came after it is at the provider alone: the case of step 5',
      lost.status === 404 && (await twin.effects(`${name}-after`)).length === 1,
      lost.status,
    );
    const audit = await deployment.ops('audit', 'verify');
    expect('every trail is whole', audit.code === 0, audit.output);
    await expectLifecycle(stage, 'globex', 'restored');
  },
};

const keeper: Scene = {
  name: 'keeper',
  title: 'The broker loses its disk under load, and no person does anything',
  async play(stage) {
    const { deployment, engine, expect } = stage;
    const load = await stage.load('keeper');
    await deployment.compose('stop', 'nats');
    await deployment.onVolumes({ nats: '/nats' }, 'rm -rf /nats/*');
    await deployment.up(['nats']);
    const { output } = await engine.tryDocker(['logs', await deployment.containerOf('topology-keeper')]);
    expect('the keeper names what it has created again', /"created":\[.*TENANT_LIFECYCLE/.test(output), output);
    await stage.expectWhole(load);
    await expectLifecycle(stage, 'globex', 'kept');
  },
};

/**
 * The certificates of clients and of routes change under load. Afterwards every member must accept the others by the
 * new certificates.
 */
async function rotateCluster(stage: Stage): Promise<void> {
  const { deployment, engine, expect } = stage;
  const before = await Promise.all(brokers.map((name) => deployment.containerOf(name)));
  const [load, messages] = [await stage.load('links'), await startMessages(stage, 'initech', 'links')];
  await rotateCertificates(stage);
  const after = await Promise.all(brokers.map((name) => deployment.containerOf(name)));
  expect('the certificates of both links change while the same members run', after.join() === before.join(), after);
  for (const id of after) {
    await engine.docker(['restart', id]);
    await untilMembersAgree(stage, brokers);
  }
  expect('each member, started again, is let in by the others with the new certificates', true);
  await messages.stop();
  await stage.expectWhole(load);
  await expectLifecycle(stage, 'globex', 'links');
}

const cluster: Scene = {
  name: 'cluster',
  title: 'Three brokers with the configuration of the manifests: a member is cut off, a member loses its disk',
  async play(stage) {
    const { deployment, engine, expect } = stage;
    await deployment.compose('stop', ...brokerClients);
    await deployment.compose('stop', 'nats');
    await deployment.compose('rm', '-f', 'nats');
    await deployment.onVolumes({ nats: '/nats' }, 'rm -rf /nats/*');
    deployment.useCluster();
    await deployment.up([...brokers]);
    const applied = await deployment.runJob('topology');
    expect('every stream has three copies', /LIFECYCLE/.test(applied) && !/replica, production/.test(applied), applied);
    await deployment.replace(...brokerClients);
    await expectLifecycle(stage, 'globex', 'cluster');
    const load = await stage.load('cluster');
    const cut = await deployment.containerOf('nats-2');
    const network = (await engine.docker(['inspect', '--format', '{{json .NetworkSettings.Networks}}', cut])).trim();
    const [networkName = ''] = Object.keys(JSON.parse(network) as object);
    await engine.docker(['network', 'disconnect', networkName, cut]);
    await delay(settleMs * 3);
    await expectLifecycle(stage, 'acme', 'cut');
    await engine.docker(['network', 'connect', '--alias', 'nats-2', '--alias', 'nats-2.nats', networkName, cut]);
    await untilMembersAgree(stage, brokers);
    expect('the member that was cut off is current again', true);
    await deployment.compose('stop', 'nats-1');
    await deployment.compose('rm', '-f', 'nats-1');
    await deployment.onVolumes({ 'nats-1': '/nats' }, 'rm -rf /nats/*');
    await expectLifecycle(stage, 'acme', 'disk');
    await deployment.up(['nats-1']);
    await untilMembersAgree(stage, brokers);
    expect('the member that lost its disk has its copies again', true);
    await stage.expectWhole(load);
    await expectLifecycle(stage, 'globex', 'healed');
    await rotateCluster(stage);
  },
};

export const scenes: readonly Scene[] = [
  upgrade,
  investigations,
  demo,
  offLine,
  rolling,
  rotation,
  brokerSecrets,
  keeper,
  restore,
  cluster,
];
