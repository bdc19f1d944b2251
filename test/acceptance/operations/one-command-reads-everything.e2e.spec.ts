/**
 * `wsp` as people get it: packed, installed in an empty folder and run against a started gateway. The terminal in its
 * README is the output of this suite.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { eventually } from '@platform/testing';
import { createPatientClient } from '../../../infra/local/demo/patient-client';
import { runProgram, type ProgramRun } from '../../support/run-program';
import { sharedPlatform, type SharedPlatform } from '../../support/shared-platform';

const run = promisify(execFile);
const root = resolve(__dirname, '../../..');
const readme = join(root, 'libs/wsp/README.md');
const tenantId = 'pied-piper';
const operationId = 'op-2026-0042';

let platform: SharedPlatform;
let folder: string;
let environment: NodeJS.ProcessEnv;

/** The installed command, with nothing of this repository around it. */
const wsp = (line: string, env: NodeJS.ProcessEnv = environment): Promise<ProgramRun> =>
  runProgram(['-c', `cd "$HOME" && ${line}`], { command: 'bash', env });

beforeAll(async () => {
  platform = await sharedPlatform();
  await platform.seed([{ tenantId, planId: 'pro' }]);
  folder = mkdtempSync(join(tmpdir(), 'wsp-installed-'));
  await run(process.execPath, ['libs/wsp/build.mjs', '--out', join(folder, 'package')], { cwd: root });
  const packed = await run('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: join(folder, 'package') });
  mkdirSync(join(folder, 'empty'));
  const install = ['install', '--prefix', join(folder, 'empty'), '--offline', '--no-audit', '--no-fund'];
  await run('npm', [...install, join(folder, packed.stdout.trim())], { cwd: join(folder, 'empty') });
  const token = join(folder, 'token');
  writeFileSync(token, await platform.token({ role: 'platform_owner' }));
  environment = {
    HOME: join(folder, 'empty'),
    PATH: `${join(folder, 'empty/node_modules/.bin')}:${process.env['PATH']}`,
    WSP_URL: platform.gatewayUrl,
    WSP_TOKEN_FILE: token,
    LOGS: join(platform.localDir, 'logs'),
  };
  const owner = createPatientClient(platform.gatewayUrl, await platform.token({ role: 'platform_owner' }));
  const body = { operationId, reason: 'Asked for by telephone' };
  const { status } = await owner.post(`/api/saas/workspaces/${tenantId}/suspend`, body, { prefer: 'wait=30' });
  expect(status).toBe(200);
  // The workspace follows the operation, and the log of another service comes through a pipe.
  const last = ['from awaiting_receipts to settled', 'suspend under way to suspended'];
  await eventually(
    async () => {
      const { stdout } = await wsp(`wsp trace ${operationId} --logs $LOGS`);
      return last.every((words) => stdout.includes(words));
    },
    { describe: 'the last lines about the operation' },
  );
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Replaces what differs between two runs, at the same width. */
const settled = (text: string): string =>
  text
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, '2026-03-02T08:00:00.000Z')
    .replaceAll(/\b[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f-]{21}\b/g, '01a2096d-46be-77b9-84f0-7b0a3e2d9b2a')
    .replaceAll(/\b[0-9a-f]{32}\b/g, '4bf92f3577b34da6a3ce929d0e0e4736')
    .replaceAll(/\b(milliseconds|timeToSettleMs|seconds)=[\d.]+/g, '$1=7')
    .replaceAll(/\b\d+ of \d+ lines/g, '9 of 99 lines')
    .replaceAll(/\b\d+ files without/g, '9 files without')
    .replaceAll(platform.localDir, '/var/log/platform/..')
    .replaceAll('/var/log/platform/../logs', '/var/log/platform');

const shownCommands = [
  'wsp workspace find pied',
  'wsp workspace show pied-piper',
  'wsp activity --workspace pied-piper --kind operation',
  'wsp case list --workspace pied-piper',
  'wsp trace op-2026-0042 --logs $LOGS',
  'wsp operation list --workspace pied-piper --json | head -n 5',
];

/** The lines of a terminal, in any order for lines of one instant. */
const linesOf = (text: string) => text.split('\n').sort();

describe('the installed command', () => {
  it('shows what its README shows: UPDATE_DOCS=1 records it again', async () => {
    const played: string[] = [];
    for (const line of shownCommands) {
      const { status, stdout, stderr } = await wsp(line);
      expect({ line, status, stderr }).toEqual({ line, status: 0, stderr: '' });
      played.push(`$ ${line.replace('$LOGS', '/var/log/platform')}\n${settled(stdout)}`);
    }
    const recording = played.join('\n').trimEnd();
    const text = readFileSync(readme, 'utf8');
    const [before = '', rest = ''] = text.split('<!-- recording -->\n');
    const [shown = '', after = ''] = rest.split('<!-- end recording -->');
    const drawn = `\n\`\`\`text\n${recording}\n\`\`\`\n\n`;
    if (process.env['UPDATE_DOCS'])
      writeFileSync(readme, `${before}<!-- recording -->\n${drawn}<!-- end recording -->${after}`);
    else expect(linesOf(shown)).toEqual(linesOf(drawn));
  });

  it('tells the whole story of an operation in every service that had a part in it', async () => {
    const { stdout } = await wsp(`wsp trace ${operationId} --logs $LOGS --json`);
    const trace = JSON.parse(stdout) as { events: { source: string; service?: string; what: string }[] };
    const services = new Set(trace.events.flatMap(({ source, service }) => (source === 'log' ? [service] : [])));
    expect([...services].sort()).toEqual(expect.arrayContaining(['lifecycle-delivery', 'operator']));
    expect(trace.events.map(({ what }) => what)).toEqual(
      expect.arrayContaining(['Intent written', 'Receipt of storage', 'Succeeded', 'Delivery to storage: succeeded']),
    );
  });

  it('finds one line per step in the logs of every service, with operation, workspace and trace', () => {
    const logs = join(platform.localDir, 'logs');
    const lines = readdirSync(logs).flatMap((name) => readFileSync(join(logs, name), 'utf8').split('\n'));
    const steps = lines
      .filter((line) => line.includes(operationId) && line.includes('"a step is recorded"'))
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const seen = steps.map(({ service, record, from, to }) => [service, record, from, to].filter(Boolean).join(' '));
    expect(seen).toEqual(
      expect.arrayContaining([
        'operator operation running',
        'operator operation running awaiting_receipts',
        'operator operation awaiting_receipts succeeded',
        'lifecycle-delivery lifecycle_message awaiting_receipts',
        'lifecycle-delivery lifecycle_message awaiting_receipts settled',
        'lifecycle-delivery delivery pending succeeded',
      ]),
    );
    const whole = ({ operationId: named, tenantId: workspace, traceId }: Record<string, unknown>) =>
      named === operationId && workspace === tenantId && /^[0-9a-f]{32}$/.test(String(traceId));
    expect(steps.filter((step) => !whole(step))).toEqual([]);
    const attempts = steps.filter(({ record }) => record === 'operation' || record === 'delivery');
    expect(attempts.filter(({ attempt }) => typeof attempt !== 'number')).toEqual([]);
  });

  it('tells the story of a creation and of a provider event by their own ids, too', async () => {
    const owner = createPatientClient(platform.gatewayUrl, await platform.token({ role: 'platform_owner' }));
    const billingProfile = { name: 'Hooli Ltd', country: 'GB' };
    const wanted = { workspaceName: 'Hooli Two', planId: 'starter', paymentMethodId: 'pm_card_visa', billingProfile };
    const { status, body } = await owner.post<{ tenantId: string }>('/api/saas/workspaces', wanted);
    expect(status).toBe(201);
    const servicesOf = async (line: string) => {
      const { stdout } = await wsp(`${line} --logs $LOGS --json`);
      const { events } = JSON.parse(stdout) as { events: { source: string; service?: string }[] };
      return new Set(events.flatMap(({ source, service }) => (source === 'log' ? [service] : [])));
    };
    // The commit's message may still be in transit when the request is answered.
    const created = await eventually(
      async () => {
        const found = await servicesOf(`wsp trace ${body.tenantId} --kind provisioning_attempt`);
        return found.has('operator') && found.has('lifecycle-delivery') ? found : undefined;
      },
      { describe: 'the story of the creation' },
    );
    expect([...created]).toContain('provisioning');
    const told = await eventually(
      async () => {
        const page = await owner.get<{ events: { eventId: string; owner: string }[] }>(
          '/api/saas/webhook-events?result=success',
        );
        const event = page.body.events.find((each) => each.owner === 'operator');
        const found = event && (await servicesOf(`wsp trace ${event.eventId}`));
        return found?.has('billing-webhook') && found.has('operator') ? found : undefined;
      },
      { describe: 'the story of an event' },
    );
    expect([...told]).toEqual(expect.arrayContaining(['billing-webhook', 'operator']));
  });

  it('answers every list and record as a table and as JSON', async () => {
    for (const line of [
      ...['case list', 'deadletters', 'streams', 'plan', 'workspace find', `workspace show ${tenantId}`, 'activity'],
      ...[`case show ${operationId}`, 'operation list', 'migration list', 'delivery list', 'consumer list'],
    ]) {
      const table = await wsp(`wsp ${line}`);
      expect({ line, ...table }).toMatchObject({
        line,
        status: 0,
        stderr: '',
        stdout: expect.stringMatching(/\S/) as string,
      });
      const json = await wsp(`wsp ${line} --json`);
      expect({ line, type: typeof JSON.parse(json.stdout) }).toEqual({ line, type: 'object' });
    }
  });

  it('answers --help of every command without a gateway', async () => {
    const lines = (await wsp('wsp --help')).stdout.split('\n');
    const from = lines.indexOf('Commands:') + 1;
    const commands = lines
      .slice(from, lines.indexOf('', from))
      .flatMap((line) => /^ {2}([a-z]+(?: [a-z]+)?)/.exec(line)?.[1] ?? []);
    expect(commands.length).toBeGreaterThan(14);
    const bare = { PATH: environment['PATH'], HOME: environment['HOME'] };
    for (const name of commands) {
      const help = await wsp(`wsp ${name} --help`, bare);
      expect({ name, ...help }).toMatchObject({
        name,
        status: 0,
        stderr: '',
        stdout: expect.stringMatching(/^Usage: wsp /) as string,
      });
    }
  });

  it.each([
    ['wsp case show no-such-record-1', 3, 'no record bears the id no-such-record-1'],
    ['wsp workspace show nowhere', 3, 'not_found'],
    ['wsp case list --kind dog', 2, '--kind'],
    ['wsp case list --dog', 2, 'unknown option --dog'],
    ['wsp completion tcsh', 2, 'bash, zsh, fish'],
    ['WSP_TOKEN_FILE= wsp plan', 2, 'token'],
    ['WSP_URL=http://127.0.0.1:9 wsp plan', 1, 'does not answer'],
    ['wsp ops list', 2, 'MONGODB_URL is not set'],
  ])('%s ends with %i', async (line, status, said) => {
    expect(await wsp(line)).toMatchObject({ status, stdout: '', stderr: expect.stringContaining(said) as string });
  });

  it('moves nothing in the terminal, whatever people wrote', async () => {
    const plan = { planId: 'pro', name: 'Pro\u001b[2J\nfree', amountCents: 1, currency: 'usd', offered: true };
    const server = createServer((_request, response) => void response.end(JSON.stringify({ plans: [plan] })));
    await new Promise<void>((resolved) => void server.listen(0, '127.0.0.1', resolved));
    const { port } = server.address() as { readonly port: number };
    const shown = await wsp('wsp plan', { ...environment, WSP_URL: `http://127.0.0.1:${port}` });
    server.close();
    expect(shown.stdout.split('\n')).toHaveLength(3);
    expect(shown.stdout).toContain('Pro\\u001b[2J free');
  });

  it('runs the off-line program of every service with the credentials of a folder', async () => {
    const secrets = join(folder, 'secrets');
    mkdirSync(secrets);
    for (const service of ['operator', 'billing_webhook', 'provisioning', 'lifecycle_delivery'])
      writeFileSync(join(secrets, `mongodb_url_${service}_resolve`), platform.mongodbUrl);
    const shown = await wsp(`wsp ops --secrets ${secrets} show operation ${operationId}`);
    expect(shown).toMatchObject({ status: 0, stdout: expect.stringContaining('Asked for by telephone') as string });
    const consumers = await wsp(`wsp ops --secrets=${secrets} list consumers --json`);
    expect(JSON.parse(consumers.stdout)).toMatchObject({ consumers: expect.any(Array) as unknown });
  });

  it('completes commands, options and their values in bash', async () => {
    const completed = async (...words: string[]) => {
      // The definitions of the package bash-completion, for a line without `=` and `:`.
      const words_ = words.map((word) => `'${word}'`).join(' ');
      const script = `_get_comp_words_by_ref() { words=(wsp ${words_}); cword=${words.length}; cur='${words.at(-1)}'; prev='${words.at(-2) ?? 'wsp'}'; }
        source <(wsp completion bash); __wsp_complete; printf '%s\\n' "\${COMPREPLY[@]}"`;
      return (await wsp(script)).stdout
        .trim()
        .split('\n')
        .map((line) => line.split(/\s/)[0])
        .sort();
    };
    expect(await completed('work')).toEqual(['workspace']);
    expect(await completed('case', '')).toEqual(['list', 'show']);
    expect(await completed('trace', 'x', '--sp')).toEqual(['--spans']);
    expect(await completed('case', 'list', '--state', 'st')).toEqual(['stopped']);
    for (const shell of ['zsh', 'fish'])
      expect((await wsp(`wsp completion ${shell}`)).stdout).toContain('wsp complete --');
  });
});
