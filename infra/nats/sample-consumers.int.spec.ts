/** The sample consumers, which teams copy, at a broker that takes their key away. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from '@nats-io/transport-node';
import { createSeed, publicKeyOf } from '@platform/messaging/nkey';
import { startTestServer } from '@platform/messaging/testing';
import { runProgram } from '../../test/support/run-program';
import { findRoot } from '../local/settings';

const folder = mkdtempSync(join(tmpdir(), 'sample-consumers-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it.each([
  ['storage', 'storage-consumer'],
  ['search-index', 'search-index-consumer'],
])('%s ends when the broker refuses its key, so that its supervisor starts it with the new one', async (user, name) => {
  expect(await runProgram(['infra/build.mjs', '--quiet', `examples/${name}/src/main.ts`])).toMatchObject({ status: 0 });
  const [seed, usersFile, seedFile] = [createSeed(), join(folder, `${user}.conf`), join(folder, `${user}.seed`)];
  writeFileSync(seedFile, seed);
  const admit = (key: string): void =>
    writeFileSync(usersFile, `authorization { users: [ { nkey: ${key} }, { user: platform, password: secret } ] }`);
  admit(publicKeyOf(seed));
  const broker = await startTestServer(usersFile);
  const platform = await connect({ servers: broker.url, user: 'platform', pass: 'secret', reconnect: false });
  const registrations = platform.subscribe(`lifecycle.consumer.register.${user}`, { max: 1 });
  await platform.flush();
  const consumer = spawn(process.execPath, [join(findRoot(__dirname), `dist/examples/${name}/main.js`)], {
    stdio: 'ignore',
    env: { PATH: process.env['PATH'], NATS_URL: broker.url, NATS_USER: user, NATS_SEED_FILE: seedFile },
  });
  const ended = once(consumer, 'exit');
  for await (const _registration of registrations) break;
  await broker.kill();
  admit(publicKeyOf(createSeed()));
  await broker.restart();
  expect(await ended).toEqual([1, null]);
  await broker.stop();
});
