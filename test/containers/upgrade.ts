/** Starts this release's images on volumes with the previous release's data, by the procedure of docs/operations.md. */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '@platform/testing';
import { earlierRelease, unpackEarlierRelease } from '../support/earlier-release';
import { slowMachineMs } from './patience';
import { expectLifecycle, type Scene, type Stage } from './stage';

/** Replaces the content of the volumes with the recorded data. Returns the open and the ended operations. */
async function takeOver({ deployment, engine }: Stage) {
  const folder = join(deployment.environment()['LOCAL_DIR']!, 'earlier-release');
  rmSync(folder, { recursive: true, force: true });
  const recorded = await unpackEarlierRelease(folder, 'http://billing-webhook:7020');
  await deployment.compose('down', '--volumes', '--remove-orphans');
  const { webhookSecret } = JSON.parse(readFileSync(join(folder, 'secrets.json'), 'utf8')) as { webhookSecret: string };
  deployment.secrets.write('webhook_secrets', webhookSecret);
  // Creates the volumes before anything writes to them. Services that wait for jobs are created later, because compose
  // would wait here.
  await deployment.compose('up', '--no-start', '--no-build', 'mongo', 'nats', 'provider-twin');
  const mounts = ['mongo', 'nats', 'twin'].flatMap((name) => ['-v', `${deployment.volumeOf(name)}:/to/${name}`]);
  const copy = [
    'cp -a /from/mongo/. /to/mongo/',
    'cp -a /from/nats/jetstream/. /to/nats/',
    'cp /from/provider-twin.json /to/twin/twin.json',
    'chown -R 1000:1000 /to/twin',
  ].join('; ');
  const image = 'workspace-platform/embedded-store:0.1.0';
  await engine.docker([
    'run',
    '--rm',
    '--user',
    'root',
    '-v',
    `${folder}:/from:ro`,
    ...mounts,
    image,
    'sh',
    '-euc',
    copy,
  ]);
  return recorded;
}

export const upgrade: Scene = {
  name: 'upgrade',
  title: `Upgrade from the data of release ${earlierRelease}, with work of every kind left open`,
  async play(stage) {
    const { deployment, expect } = stage;
    const { operations } = await takeOver(stage);
    await deployment.up(['mongo', 'nats', 'provider-twin']);
    await deployment.runJob('topology');
    const asked = await deployment.tryCompose('run', '--rm', '-T', 'ops-migrate', 'migrate');
    expect('ops-migrate says what it would change', /would change/.test(asked.output), asked.output);
    const applied = await deployment.tryCompose('run', '--rm', '-T', 'ops-migrate', 'migrate', '--apply');
    expect('ops-migrate brings the documents forward', applied.code === 0, applied.output);
    await deployment.up();
    const client = await stage.gateway();
    const ended = await client.settled('globex', 'upgrade-suspend', slowMachineMs);
    expect(
      'a suspension that waited for a consumer ends with both receipts',
      ended.status === 'succeeded' && ended.lifecycle?.receipts?.length === 2,
      JSON.stringify(ended),
    );
    const mirrored = await eventually(
      async () => (await client.get<{ cancelsAt?: string }>('/api/saas/workspaces/initech/admin-state')).body.cancelsAt,
      { describe: 'the event in the mirror', deadlineMs: slowMachineMs },
    ).catch((error: Error) => error.message);
    expect('an event that had not reached its owner is in the mirror', /^20\d\d-/.test(mirrored), mirrored);
    const changed: string[] = [];
    for (const [id, { tenantId, status }] of Object.entries(operations))
      if ((await client.operation(tenantId, id)).status !== status) changed.push(id);
    expect(`${Object.keys(operations).length} operations are as they were left`, changed.length === 0, changed);
    const audit = await deployment.ops('audit', 'verify');
    expect('every trail is whole', audit.code === 0, audit.output);
    await expectLifecycle(stage, 'acme', 'upgraded');
    await stage.startFresh();
  },
};
