/** `instance gone` of the program of all services: an instance belongs to one of them. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { incarnationsCollection } from '@platform/durable/boot';
import { newSigningKey, publicKeySet } from '@platform/http-server';
import { createIds, silentLog, systemClock } from '@platform/kernel';
import { connectStore, type Store } from '@platform/mongo';
import { uniqueName } from '@platform/testing';
import { buildBundles } from '../../test/support/platform';
import { runProgram } from '../../test/support/run-program';
import { tokenOfAnn } from './command-lines.harness';

const folder = mkdtempSync(join(tmpdir(), 'instance-gone-'));
const signingKey = newSigningKey();
const tokenFile = join(folder, 'token');
const address = process.env['TEST_MONGODB_URL'] ?? '';
/** The program of all services reads the database of each under its own name. */
const open = (database: string): Promise<Store> =>
  connectStore({ url: address, database, clock: systemClock, ids: createIds(), log: silentLog, appName: 'gone' });

beforeAll(async () => {
  await buildBundles();
  writeFileSync(tokenFile, await tokenOfAnn(signingKey));
});
afterAll(() => rmSync(folder, { recursive: true }));

const gone = (instance: string, env: NodeJS.ProcessEnv = {}) =>
  runProgram(
    [
      ...['dist/infra/ops/main.js', 'instance', 'gone', instance],
      ...['--proof', 'its host was reinstalled', '--token-file', tokenFile, '--yes'],
    ],
    {
      env: {
        PATH: process.env['PATH'],
        MONGODB_URL: address,
        NATS_URL: 'nats://127.0.0.1:1',
        JWT_PUBLIC_KEYS: publicKeySet(signingKey),
        ...env,
      },
    },
  );

describe('the record that an instance is gone', () => {
  it.each(['operator', 'provisioning'])('ends with 0 for an instance of %s, and then with 1', async (service) => {
    const instance = uniqueName('host').replaceAll('_', '-');
    const store = await open(service);
    const startedAt = new Date();
    await store.collection(incarnationsCollection).insert({ _id: `boot-of-${instance}`, service, instance, startedAt });
    await store.close();
    expect(await gone(instance)).toMatchObject({
      status: 0,
      stdout: expect.stringContaining(`Recorded. 1 boots of ${instance} are declared gone.`) as string,
    });
    expect(await gone(instance)).toMatchObject({
      status: 1,
      stdout: '',
      stderr: expect.stringMatching(/^No boot of .* operator: .*\nNo boot of .* provisioning: /) as string,
    });
  });

  it('is no success where the program of the other service could not ask', async () => {
    const half = { MONGODB_URL: '', MONGODB_URL_OPERATOR: address, MONGODB_URL_PROVISIONING: 'nowhere' };
    expect(await gone('operator-8', half)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('MONGODB_URL is no address of a database') as string,
    });
  });
});
