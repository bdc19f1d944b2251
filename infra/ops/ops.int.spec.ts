/**
 * The off-line program as in its image: bundles in a separate folder, the environment of production, secrets in files,
 * real databases. Also the promises that every command of every program keeps.
 */
import { newSigningKey, publicKeySet } from '@platform/http-server';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createIds, silentLog, systemClock } from '@platform/kernel';
import { proofSize, uniqueName } from '@platform/testing';
import { connectStore, type Store } from '@platform/mongo';
import { newDelivery, type PendingDelivery } from '../../services/lifecycle-delivery/src/domain/delivery';
import type { Checked } from '@platform/durable/steps';
import { acceptMessage, type AwaitingMessage } from '../../services/lifecycle-delivery/src/domain/lifecycle-message';
import { consumerSteps } from '../../services/lifecycle-delivery/src/domain/consumer';
import { consumersCollection } from '../../services/lifecycle-delivery/src/store/consumers';
import { deliveriesCollection } from '../../services/lifecycle-delivery/src/store/deliveries';
import { messagesCollection } from '../../services/lifecycle-delivery/src/store/messages';
import { buildBundles } from '../../test/support/platform';
import { runProgram, type ProgramRun } from '../../test/support/run-program';
import offlineCommands from './ops.command.cjs';
import {
  commands,
  ownersOf,
  proofsFor,
  runInTurn,
  sampleOf,
  services,
  tokenOfAnn,
  wordsFor,
  type Line,
} from './command-lines.harness';
import { databaseVariable, environmentOf } from './environment';

const root = resolve(__dirname, '../..');
const signingKey = newSigningKey();

let folder: string;
let store: Store;
const database = uniqueName('ops');
const url = process.env['TEST_MONGODB_URL'];
const secret = (name: string): string => join(folder, 'secrets', name);
const bare = { PATH: process.env['PATH'], NODE_ENV: 'production', PLATFORM_MODE: 'production' };
/** As Compose and Kubernetes supply it: an address per service, in files. */
const production = (): NodeJS.ProcessEnv => ({
  ...bare,
  ...Object.fromEntries(services.map((service) => [`${databaseVariable(service)}_FILE`, secret(service)])),
  STRIPE_SECRET_KEY_FILE: secret('stripe'),
  JWT_PUBLIC_KEYS_FILE: secret('jwt'),
});
/** Speeds up the dozens of starts: the compiled code of packages is kept in the folder. */
const cache = 'infra/local/compile-cache.cjs';
const start = (program: string, args: readonly string[], env: NodeJS.ProcessEnv) =>
  runProgram(['--require', join(folder, cache), join(folder, program), ...args], { env });
const run = (args: readonly string[], env: NodeJS.ProcessEnv = production()) => start('main.js', args, env);

beforeAll(async () => {
  if (!url)
    throw new Error('TEST_MONGODB_URL is not set: integration tests need the store that the global setup starts');
  await buildBundles();
  folder = mkdtempSync(join(tmpdir(), 'ops-image-'));
  // The files that infra/docker/Dockerfile copies.
  cpSync(join(root, 'dist/infra/ops/main.js'), join(folder, 'main.js'));
  for (const service of services) {
    mkdirSync(join(folder, 'services', service), { recursive: true });
    cpSync(join(root, 'dist/services', service, 'ops.js'), join(folder, 'services', service, 'ops.js'));
  }
  for (const file of [cache, 'infra/local/shared-packages.cjs']) cpSync(join(root, file), join(folder, file));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  mkdirSync(join(folder, 'secrets'));
  for (const service of services) writeFileSync(secret(service), `${url}\n`);
  writeFileSync(secret('stripe'), 'sk_test_ops\n');
  writeFileSync(secret('jwt'), `${publicKeySet(signingKey)}\n`);
  writeFileSync(secret('token'), await tokenOfAnn(signingKey));
  store = await connectStore({
    url,
    database,
    clock: systemClock,
    ids: createIds(),
    log: silentLog,
    appName: 'ops-tests',
  });
});
afterAll(async () => {
  await store?.close();
  rmSync(folder, { recursive: true });
});

describe('the off-line program in an image', () => {
  it('lists the records of every service, for people and for programs', async () => {
    for (const [words, key] of [
      ['list', 'operations'],
      ['migration list', 'migrations'],
      ['list webhook-events', 'events'],
      ['list provisioning-attempts', 'attempts'],
      ['list deliveries', 'deliveries'],
      ['list consumers', 'consumers'],
    ] as const) {
      // Each service has its own database, with documents of its own versions.
      const env = { ...production(), MONGODB_DATABASE: `${database}_${key}` };
      expect(await run(words.split(' '), env)).toMatchObject({ status: 0, stderr: '' });
      const json = await run([...words.split(' '), '--json'], env);
      expect(JSON.parse(json.stdout)).toMatchObject({ [key]: [] });
    }
  });

  it.each([
    ['audit verify --expect zzz', '--expect'],
    ['instance gone nope --by ann@example.com --yes --proof its_host_was_reinstalled', '--token-file is missing'],
  ])('refuses %s in one line, although it is of several services', async (words, reason) => {
    const refused = await run(words.split(' '));
    expect(refused).toMatchObject({ status: 2, stdout: '', stderr: expect.stringContaining(reason) as string });
    expect(refused.stderr.trimEnd().split('\n')).toHaveLength(1);
  });

  it.each(['list', 'list webhook-events'])('refuses a cursor of another list: %s', async (words) => {
    const stderr = expect.stringContaining('--cursor is not a cursor of this list') as string;
    expect(await run([...words.split(' '), '--cursor', 'x'])).toMatchObject({ status: 2, stdout: '', stderr });
  });

  it('waives a receipt, which is on record and settles the message', async () => {
    const deliveries = store.collection(deliveriesCollection);
    const messages = store.collection(messagesCollection);
    const at = new Date();
    const message = { tenantId: 'acme', operationId: 'operation-1', transition: 'suspended' as const };
    const { draft } = acceptMessage({ ...message, requestedAt: at.toISOString() }, ['storage'], at);
    await messages.insert(draft as Checked<AwaitingMessage>);
    const next = { now: at, nextAttemptAt: at };
    const about = { _id: 'operation-1', tenantId: 'acme', transition: 'suspended' as const, requestedAt: at };
    await deliveries.insert(
      newDelivery(about, 'storage', next, { tenantDeleted: false, paused: false }) as Checked<PendingDelivery>,
    );
    const registered = { transitions: ['suspended' as const], registeredBy: 'storage-1', registeredAt: at };
    await store
      .collection(consumersCollection)
      .insert(consumerSteps.begin({ _id: 'storage', status: 'registered', ...registered }));
    const env = { ...production(), MONGODB_DATABASE: database };
    const waive = [
      'waive',
      'delivery',
      'operation-1',
      'storage',
      ...proofsFor(['executor-stopped', 'by', 'reason']),
      '--yes',
    ];
    expect(await run(waive, env)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('--token-file is missing') as string,
    });
    waive.push('--token-file', secret('token'));
    const refused = await run(waive, env);
    expect(refused).toMatchObject({ status: 1, stderr: expect.stringContaining('--still-registered') as string });
    const done = await run([...waive, '--still-registered'], env);
    expect(done).toMatchObject({ status: 0, stdout: expect.stringContaining('is waived.') as string });
    expect(await messages.findById('operation-1')).toMatchObject({ status: 'settled' });
    const shown = await run(['show', 'delivery', 'operation-1', 'storage'], env);
    expect(JSON.parse(shown.stdout)).toMatchObject({ status: 'waived', waiver: { by: 'ann@example.com' } });
    expect(
      await run(
        [
          'waive',
          'consumer',
          'storage',
          ...proofsFor(['executor-stopped', 'by', 'reason']),
          '--yes',
          '--token-file',
          secret('token'),
        ],
        env,
      ),
    ).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('is registered') as string,
    });
  });
});

/** In the full form the program of all services passes every line on; otherwise one line for each service. */
const passedOn = (names: readonly string[]): readonly string[] =>
  proofSize({
    lean: services.map((service) => names.find((name) => ownersOf(name).includes(service))!),
    full: names,
  });
const inTurn = (program: string, lines: readonly Line[]) =>
  runInTurn(['--require', join(folder, cache)], join(folder, program), lines);

/** The answers to one line for each command, by the command's name: one for each program that was run. */
async function answersTo(lines: ReadonlyMap<string, Line>): Promise<ReadonlyMap<string, readonly ProgramRun[]>> {
  const whole = passedOn([...lines.keys()]);
  const answers = new Map<string, ProgramRun[]>([...lines.keys()].map((name) => [name, []]));
  for (const name of new Set(whole)) answers.get(name)?.push(await run(lines.get(name)!.args, lines.get(name)!.env));
  for (const service of services) {
    const own = [...lines].filter(([name]) => !whole.includes(name) && ownersOf(name).includes(service));
    const given = own.map(([name, { args, env }]) => ({
      args,
      env: environmentOf(service, env, ownersOf(name).length === 1),
    }));
    const ran = await inTurn(join('services', service, 'ops.js'), given);
    own.forEach(([name], at) => answers.get(name)?.push(ran[at]!));
  }
  return answers;
}

describe('every command', () => {
  const needing = commands.filter(([name]) => !offlineCommands.withoutDatabase.includes(name));
  const answers = new Map<string, ProgramRun>();
  beforeAll(async () => {
    const lines = needing.map(([name, { words, options }]) => ({
      args: [...sampleOf(name, words, options), ...(options?.includes('yes') ? ['--yes'] : [])],
      env: bare,
    }));
    (await inTurn('main.js', lines)).forEach((answer, at) => answers.set(needing[at]![0], answer));
  });

  it.each(needing)('%s ends with 2 without a database, and asks none on this machine', (name) => {
    expect(answers.get(name)).toEqual({
      status: 2,
      stdout: '',
      stderr: expect.stringContaining('MONGODB_URL is not set') as string,
    });
  });

  it.each(services)('of %s ends with 2 without a database also when its own program is run', async (service) => {
    const [name = '', { words }] = commands.find(
      ([each]) => offlineCommands.owned[service]?.includes(each) && each.startsWith('list'),
    )!;
    const ran = await start(join('services', service, 'ops.js'), wordsFor(name, words), bare);
    expect(ran).toMatchObject({
      status: 2,
      stdout: '',
      stderr: expect.stringContaining('MONGODB_URL is not set') as string,
    });
  });

  const writing = commands.filter(([, { options = [] }]) => options.includes('yes'));
  const answered = commands.filter(([, { options = [] }]) => options.includes('by'));
  let unconfirmed: ReadonlyMap<string, readonly ProgramRun[]>;
  let unproven: ReadonlyMap<string, readonly ProgramRun[]>;
  beforeAll(async () => {
    const asking = writing.map(([name, { words, options }]): [string, Line] => [
      name,
      { args: sampleOf(name, words, options), env: production() },
    ]);
    const claiming = answered.map(([name, { words, options }]): [string, Line] => {
      // Each service has its own database, with documents of its own versions.
      const env = { ...production(), MONGODB_DATABASE: `${database}_people_${ownersOf(name)[0]}` };
      return [name, { args: [...sampleOf(name, words, options), options?.includes('yes') ? '--yes' : '--apply'], env }];
    });
    unconfirmed = await answersTo(new Map(asking));
    unproven = await answersTo(new Map(claiming));
  });

  it.each(writing)('%s ends with 2 when there is no terminal to ask at and no --yes', (name) => {
    const refused = { status: 2, stdout: '', stderr: expect.stringContaining('--yes') as string };
    expect(unconfirmed.get(name)).not.toEqual([]);
    for (const ran of unconfirmed.get(name)!) expect(ran).toMatchObject(refused);
  });

  it.each(answered)('%s ends with 2 for an address that no token proves', (name) => {
    const refused = { status: 2, stderr: expect.stringContaining('--token-file is missing') as string };
    expect(unproven.get(name)).not.toEqual([]);
    for (const ran of unproven.get(name)!) expect(ran).toMatchObject(refused);
  });

  it('that prints records takes --json', () => {
    const printing = commands.filter(([name]) => /(^|\s)(list|show|evidence)(\s|$)/.test(name));
    expect(printing.length).toBeGreaterThan(10);
    expect(printing.filter(([, { options = [] }]) => !options.includes('json')).map(([name]) => name)).toEqual([]);
  });

  it('belongs to the program of a service', () => {
    const owned = new Set(Object.values(offlineCommands.owned).flat());
    expect(commands.map(([name]) => name).filter((name) => !owned.has(name))).toEqual([]);
  });

  it('ends with 1 when the database does not answer, and says so', async () => {
    const ran = await run(['list'], {
      ...bare,
      MONGODB_URL_OPERATOR: 'mongodb://ann:hidden@127.0.0.1:9/?serverSelectionTimeoutMS=200',
    });
    const line = expect.stringMatching(/^No database answers at 127\.0\.0\.1:9; nothing was written\..*\n$/) as string;
    expect(ran).toMatchObject({ status: 1, stderr: line });
  });
});

describe('the environment of one service’s program', () => {
  it('names the database of that service before the one for all, as a value or as a file, and never both', () => {
    const environment = { MONGODB_URL: 'all', MONGODB_URL_PROVISIONING_FILE: 'file', MONGODB_DATABASE: 'named' };
    expect(environmentOf('provisioning', environment, true)).toMatchObject({
      MONGODB_URL: undefined,
      MONGODB_URL_FILE: 'file',
      MONGODB_DATABASE: 'named',
    });
    expect(environmentOf('operator', environment, false)).toMatchObject({ MONGODB_URL: 'all' });
    expect(environmentOf('operator', environment, false)).not.toHaveProperty('MONGODB_DATABASE');
  });
});
