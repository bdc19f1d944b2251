/** Every command answers `--help` and refuses unknown arguments, and neither starts, opens or writes anything. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { proofSize } from '@platform/testing';
import { buildBundles } from '../test/support/platform';
import { runProgram, type ProgramRun } from '../test/support/run-program';

const root = resolve(__dirname, '..');
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>;
};
/** A shell script, two tools with their own help, and the test command, whose options are those of jest. */
const others = ['verify', 'lint', 'typecheck', 'test'];
const named = Object.entries(scripts).filter(([name]) => !others.includes(name));
const files = ['infra/local/ops.mjs', 'infra/local/nats-server.mjs', 'infra/docker/make-secrets.mjs'];
const listEntries =
  "import('./infra/build.mjs').then((b) => console.log(JSON.stringify(b.findEntries().map((e) => [e, b.outputOf(e)]))))";
/** Bundles of programs that images and other programs also call, without `infra/run.mjs` before them. */
const bundles = (
  JSON.parse(execFileSync(process.execPath, ['-e', listEntries], { cwd: root, encoding: 'utf8' })) as [string, string][]
)
  .filter(([entry]) => /\/(ops|builder|apply|start|demo|token)\.ts$|^libs\/.*\/main\.ts$/.test(entry))
  .map(([, output]) => output);

/** The first speeds up a start and writes its own files; code that loads after the second can have no effect. */
const preloaded = ['infra/local/compile-cache.cjs', 'test/support/no-effects.cjs'];
const environment = {
  ...process.env,
  NODE_OPTIONS: preloaded.map((file) => `--require ${join(root, file)}`).join(' '),
};
const run = (words: readonly string[], ...args: string[]) => runProgram([...words, ...args], { env: environment });

function expectHelp(help: ProgramRun | undefined): void {
  expect(help).toMatchObject({ status: 0, stderr: '', stdout: expect.stringMatching(/^Usage: .*\n\n/) as string });
  expect(help?.stdout).toContain('--help');
  expect(help?.stdout).toContain('Ends with 0');
}

function expectRefusal(refused: ProgramRun): void {
  expect(refused).toEqual({
    status: 2,
    stdout: '',
    stderr: expect.stringMatching(/^[\w:-]+: unknown option --no-such-option; --help lists the options\n$/) as string,
  });
}

async function expectAnswers(words: readonly string[]): Promise<void> {
  const [help, refused] = await Promise.all([run(words, '--help'), run(words, '--no-such-option')]);
  expectHelp(help);
  expectRefusal(refused);
}

/** Runs programs with their arguments one after another. One that ends the process has the last answer. */
const inTurn = `
  const print = process.stdout.write.bind(process.stdout);
  const answers = [];
  const known = new Set();
  process.once('exit', (code) => {
    if (answers.length > 0) answers.at(-1).status ??= code;
    process.exitCode = 0;
    print(JSON.stringify(answers));
  });
  (async () => {
    for (const [file, ...args] of JSON.parse(process.argv[1])) {
      const ran = { stdout: '', stderr: '' };
      answers.push(ran);
      for (const name of ['stdout', 'stderr']) process[name].write = (text) => ((ran[name] += text), true);
      process.argv = [process.execPath, file, ...args];
      process.exitCode = undefined;
      // A module is evaluated again under another address.
      const again = known.has(file) ? '?' + answers.length : '';
      known.add(file);
      await import(require('node:url').pathToFileURL(file).href + again);
      ran.status = process.exitCode ?? 0;
    }
  })();`;

/** The help of each command of package.json by its name, from the sources in the folder. */
async function helpsIn(folder: string): Promise<ReadonlyMap<string, ProgramRun>> {
  const lines = named.map(([, script]) => {
    const words = script.split(' ');
    const [file = '', ...args] = words.slice(words.findIndex((word) => word.endsWith('.mjs')));
    return [join(folder, file), ...args, '--help'];
  });
  const { stdout, stderr } = await run(['-e', inTurn], JSON.stringify(lines));
  expect(stderr).toBe('');
  const answers = JSON.parse(stdout) as ProgramRun[];
  return new Map(answers.map((answer, at) => [named[at]![0], answer]));
}

beforeAll(async () => {
  await buildBundles();
});

describe('a command', () => {
  let helps: Awaited<ReturnType<typeof helpsIn>>;
  beforeAll(async () => void (helps = await helpsIn(root)));

  it.each(named)('npm run %s only answers', async (name, script) => {
    const [command, ...words] = script.split(' ');
    expect(command).toBe('node');
    expect(script).not.toMatch(/[&|;]/);
    expectHelp(helps.get(name));
    expectRefusal(await run(words, '--no-such-option'));
    if (proofSize({ lean: false, full: true })) expectHelp(await run(words, '--help'));
  });

  it.each(files)('%s only answers', (file) => expectAnswers([file]));

  it.each(bundles)('%s only answers', (file) => expectAnswers([file]));

  it('npm run verify only answers', async () => {
    const ci = (...args: string[]) => runProgram(['.ci/run', ...args], { command: 'bash' });
    expect(await ci('--help')).toMatchObject({ status: 0, stdout: expect.stringMatching(/^Usage: /) as string });
    expect(await ci('--no-such-option')).toEqual({
      status: 2,
      stdout: '',
      stderr: 'verify: unknown option --no-such-option; --help lists what there is\n',
    });
  });

  it('test answers --help itself and leaves all else to jest', async () => {
    expect(await run(['infra/run.mjs', 'test'], '--help')).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('jest') as string,
    });
  });

  it('test refuses an option that jest does not have, before it sets anything up', async () => {
    for (const unknown of ['--no-such-option=1', '-x'])
      expect(await run(['infra/run.mjs', 'test'], 'libs/kernel', unknown)).toEqual({
        status: 2,
        stdout: '',
        stderr: `test: unknown option ${unknown}; --help lists the options\n`,
      });
    for (const option of [
      '--testNamePattern=x',
      '--test-name-pattern=x',
      '--no-cache',
      '--coverage',
      '-t',
      '-i',
      '-w=2',
      '--version',
    ])
      expect(await run(['infra/run.mjs', 'test'], option)).toMatchObject({ status: 99, stderr: 'effect: spawnSync\n' });
  });

  it('that is none is refused with those that there are', async () => {
    expect(await run(['infra/run.mjs', 'dance'])).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/unknown command dance; there are start, /) as string,
    });
  });

  it.each(['start', 'demo', 'ops', 'wsp', 'builder', 'docs'])(
    '%s refuses a PORT_BASE that is no base of ports, before it does anything',
    async (name) => {
      const words: Readonly<Record<string, string>> = { ops: 'list', wsp: 'plan', builder: 'list' };
      const args = ['infra/run.mjs', name, ...(words[name] ? [words[name]] : [])];
      const of = (PORT_BASE: string) => runProgram(args, { env: { ...environment, PORT_BASE } });
      for (const wrong of ['seven', '80', '65530'])
        expect(await of(wrong)).toEqual({
          status: 2,
          stdout: '',
          stderr: `${name}: PORT_BASE must be a whole number from 1024 to 65000, not ${wrong}\n`,
        });
      expect(await of('')).toMatchObject({ status: 99, stderr: 'effect: spawnSync\n' });
    },
  );

  it.each(['.', '..', 'infra', 'services/data', '/', './.local/..', '..data'])(
    'keeps no data beside the sources, in LOCAL_DIR=%s',
    async (LOCAL_DIR) => {
      expect(await runProgram(['infra/run.mjs', 'start'], { env: { ...environment, LOCAL_DIR } })).toEqual({
        status: 2,
        stdout: '',
        stderr: `start: LOCAL_DIR must be a folder outside of the checkout, or one in it that begins with .local, not ${LOCAL_DIR}\n`,
      });
    },
  );

  it.each(['', '.local', '.local-2', '.local/2', join(tmpdir(), 'platform')])(
    'takes a folder for its data, LOCAL_DIR=%s',
    async (LOCAL_DIR) => {
      const ran = await runProgram(['infra/run.mjs', 'start'], { env: { ...environment, LOCAL_DIR } });
      expect(ran).toMatchObject({ status: 99, stderr: 'effect: spawnSync\n' });
    },
  );

  it.each(['.gitignore', '.prettierignore', '.dockerignore'])(
    'that a second platform runs with LOCAL_DIR=.local-2 leaves nothing for %s',
    async (file) => {
      const prettier = ['node_modules/prettier/bin/prettier.cjs', '--ignore-path', file, '--file-info'];
      const isIgnored = async (path: string) =>
        JSON.parse((await runProgram([...prettier, path])).stdout) as { readonly ignored: boolean };
      expect(await isIgnored('.local-2/secrets.json')).toMatchObject({ ignored: true });
      expect(await isIgnored('infra/run.mjs')).toMatchObject({ ignored: false });
    },
  );

  it.each([
    ['--consumer', 'bad name!'],
    ['--consumer', ''],
    ['--permission', ''],
    ['--email', 'not-an-address'],
    ['--workspace', 'acme:king'],
    ['--role', 'viewer'],
  ])('makes no token with %s %j', async (option, value) => {
    const refused = await run(['infra/run.mjs', 'token'], '--role', 'user', option, value);
    expect(refused).toMatchObject({ status: 2, stdout: '', stderr: expect.stringContaining(`${option} is`) as string });
  });

  it.each([
    ['chaos', ['--scenes', 'zombie,lunch']],
    ['chaos', ['--mutants', '--only', 'eight-in-one,lunch']],
    ['sim', ['--mutants', '--only', 'eight-in-one,lunch']],
    ['sim', ['--suites', '--only', 'eight-in-one,lunch']],
    ['sim', ['--stretched', '--only', 'eight-in-one,lunch']],
    ['redteam', ['broker', 'lunch']],
  ])('%s plays nothing for %j, of which it has only a part', async (name, args) => {
    expect(await run([`dist/test/${name}/main.js`], ...args)).toEqual({
      status: 2,
      stdout: '',
      stderr: expect.stringMatching(new RegExp(`^${name}: .*lunch.*; --help lists the options\\n$`)) as string,
    });
  });

  it.each([['sample'], ['indexes'], ['import', 'orders', 'rows.csv'], ['preview', '/shop/orders@openOrders']])(
    'of the query builder refuses what is no address of a database: %s',
    async (...words) => {
      const refused = await runProgram(['dist/services/query-builder/builder.js', ...words], {
        env: { ...process.env, PAGE_PROJECT_DIR: 'services/query-builder/sample-project', MONGODB_URL: 'foo' },
      });
      expect(refused).toEqual({
        status: 2,
        stdout: '',
        stderr: expect.stringMatching(/^builder: MONGODB_URL is no address of a database[^\n]*\n$/) as string,
      });
    },
  );

  it.each([
    ['/proc/none', 'no file with JSON: ENOENT'],
    ['nx.json', 'no JSON list: nx.json'],
  ])('of the document store refuses %s as the list of its users', async (file, reason) => {
    const data = join(tmpdir(), `never-opened-${process.pid}`);
    const args = ['dist/libs/embedded-mongo/main.js', '--port', '0', '--data', data, '--users', file];
    expect(await runProgram(args)).toMatchObject({
      status: 2,
      stdout: '',
      stderr: expect.stringContaining(`document-store: --users names ${reason}`) as string,
    });
  });

  it('that does more than answer would be seen', async () => {
    expect(await run(['infra/run.mjs', 'token'], '--role', 'user')).toMatchObject({
      status: 99,
      stderr: 'effect: spawnSync\n',
    });
  });
});

describe('a fresh clone without packages', () => {
  const clone = mkdtempSync(join(tmpdir(), 'fresh-clone-'));
  afterAll(() => rmSync(clone, { recursive: true, force: true }));
  const plain = (path: string): boolean =>
    basename(path) !== 'node_modules' && (statSync(path).isDirectory() || /\.(mjs|cjs|json)$/.test(path));

  beforeAll(() => {
    for (const folder of ['infra', 'libs', 'services', 'test'])
      cpSync(join(root, folder), join(clone, folder), { recursive: true, filter: plain });
  });

  let helps: Awaited<ReturnType<typeof helpsIn>>;
  beforeAll(async () => void (helps = await helpsIn(clone)));

  it.each(named)('answers npm run %s -- --help', (name) => {
    expectHelp(helps.get(name));
  });
});
