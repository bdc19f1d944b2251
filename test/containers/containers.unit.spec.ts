/**
 * Checks, without an engine, what `npm run containers` relies on: the override does not change the delivered services,
 * and a missing engine is reported.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { findRoot } from '../../infra/local/settings';
import { runProgram } from '../support/run-program';
import { judgeContainers, writeStoreUsers } from './deployment';
import { brokers, clusterOverride, rolled, standInOverride, type ComposeFile } from './stand-ins';

const root = findRoot(__dirname);
const delivered = parse(readFileSync(join(root, 'docker-compose.yml'), 'utf8'), { merge: true }) as ComposeFile;
const base = 26_000;

describe('the command', () => {
  it('makes a fresh clone ready by itself', () => {
    const programs = readFileSync(join(root, 'infra/run.mjs'), 'utf8');
    expect(programs).toMatch(/^ {2}containers: \['test\/containers\/containers', setup, /m);
  });
});

describe('the override of the stand-ins', () => {
  const { services } = standInOverride(delivered, base, '/pages-here');

  it('replaces the document store, and gives the rest variables and volumes alone', () => {
    const replaced = Object.keys(services).filter((name) => delivered.services[name] && services[name]?.image);
    expect(replaced.sort()).toEqual(['mongo', 'mongo-setup']);
    const touched = Object.keys(services).filter((name) => delivered.services[name] && !replaced.includes(name));
    expect(touched.sort()).toEqual(['operator', 'ops', 'provisioning', 'query-builder']);
    for (const name of touched)
      expect(Object.keys(services[name] ?? {}).filter((key) => !['environment', 'volumes'].includes(key))).toEqual([]);
  });

  it('runs second replicas with the secrets, images and checks of the first, under names of their own', () => {
    for (const name of rolled) {
      const second = services[`${name}-2`];
      const first = delivered.services[name];
      const shared = ['image', 'secrets', 'healthcheck', 'read_only', 'cap_drop', 'depends_on'] as const;
      for (const key of shared) expect([name, key, second?.[key]]).toEqual([name, key, first?.[key]]);
      expect(second?.environment?.['INSTANCE']).toBe(`${name}-2`);
    }
  });

  it('lets three brokers be found by the names of the manifests, by everything that connects to one', () => {
    const cluster = clusterOverride(delivered).services;
    const { routes = '' } = {
      routes: readFileSync(join(root, 'infra/k8s/base/configuration/nats.conf'), 'utf8'),
    };
    for (const name of brokers) {
      const [alias = 'none'] = (cluster[name]?.['networks'] as { platform: { aliases: string[] } }).platform.aliases;
      expect(routes).toContain(`@${alias}:6222`);
    }
    const connecting = Object.keys(delivered.services).filter(
      (name) => delivered.services[name]?.environment?.['NATS_URL'],
    );
    for (const name of connecting)
      expect(String(cluster[name]?.environment?.['NATS_URL']).split(',')).toHaveLength(brokers.length);
  });
});

describe('the wait for containers', () => {
  const line = (state: string): string => `/trial_operator_1 ${state}`;
  const well = ['running 0 0 healthy', 'running 0 0 ', 'running 0 2 healthy', 'exited 0 0 '].map(line);

  it('ends when all of them run, or have ended as jobs do', () => {
    expect(judgeContainers(well)).toEqual({ healthy: true });
    expect(judgeContainers([...well, '/trial_ops_run_1a2b exited 1 0 '])).toEqual({ healthy: true });
  });

  it.each(['running 0 0 starting', 'running 0 0 unhealthy', 'restarting 1 2 ', 'created 0 0 '])(
    'goes on for %s',
    (state) => {
      expect(judgeContainers([...well, line(state)])).toEqual({ unwell: line(state), ended: false });
    },
  );

  it.each(['exited 1 0 ', 'exited 137 0 '])('goes on for a while for %s, which may be started again', (state) => {
    expect(judgeContainers([...well, line(state)])).toEqual({ unwell: line(state), ended: true });
  });

  it.each(['restarting 1 6 ', 'running 0 6 starting'])('is over for %s', (state) => {
    expect(judgeContainers([...well, line(state)])).toEqual({ broken: line(state) });
  });
});

describe('the users of the stand-in store', () => {
  it('are those of the connection strings, with their databases', () => {
    const folder = mkdtempSync(join(tmpdir(), 'store-users-'));
    try {
      writeFileSync(join(folder, 'mongo_root_password'), 'kroot\n');
      writeFileSync(
        join(folder, 'mongodb_url_operator'),
        'mongodb://operator:k1@mongo:27017/operator?replicaSet=rs0\n',
      );
      writeStoreUsers(folder);
      expect(JSON.parse(readFileSync(join(folder, 'store-users.json'), 'utf8'))).toEqual([
        {
          user: 'operator',
          password: 'k1',
          database: 'operator',
          roles: [{ role: 'readWrite', database: 'operator' }],
        },
        { user: 'root', password: 'kroot', database: 'admin', roles: [{ role: 'readWrite', database: 'operator' }] },
      ]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('npm run containers', () => {
  it('ends with 3 and says what to install where there is no engine', async () => {
    await runProgram(['infra/build.mjs', '--quiet', 'test/containers/main.ts']);
    const ran = await runProgram(['dist/test/containers/main.js'], { env: { PATH: '/nowhere' } });
    expect([ran.status, ran.stderr]).toEqual([3, expect.stringContaining('apt-get install docker.io')]);
  });

  it('refuses a scene that there is not', async () => {
    const ran = await runProgram(['dist/test/containers/main.js', '--scene', 'lunch'], { env: { PATH: '/nowhere' } });
    expect([ran.status, ran.stderr]).toEqual([2, expect.stringContaining('there is no scene lunch')]);
  });
});

describe.each([
  ['libs/embedded-mongo/src/main.ts', ['--port', '0', '--data', '/nowhere', '--host', '0.0.0.0']],
  ['libs/provider-twin/src/main.ts', ['--host', '0.0.0.0']],
])('%s', (entry, args) => {
  it('listens for other machines nowhere in production', async () => {
    const program = entry.replace('/src/main.ts', '/main.js');
    await runProgram(['infra/build.mjs', '--quiet', entry]);
    const ran = await runProgram([`dist/${program}`, ...args], { env: { ...process.env, NODE_ENV: 'production' } });
    expect([ran.status, ran.stderr]).toEqual([2, expect.stringContaining('NODE_ENV=production')]);
  });
});
