/** How `run.sh` calls kubectl, and its exit codes, with a kubectl that answers like a cluster. */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kubectl-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const read = (name: string): string => (existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'utf8') : '');

const deployed = 'registry.example/workspace-platform/operator:1.2.3';

function runScript(words: readonly string[], exitCode = '0', gateway = deployed, own: Record<string, string> = {}) {
  const kubectl = `#!/bin/sh
case "$*" in
  *patch*) while [ "$1" != -p ]; do shift; done; printf '%s' "$2" > '${folder}/patch' ;;
  *'create secret'*) printf '%s\\n' "$@" > '${folder}/created' ;;
  *'delete secret'*) printf '%s\\n' "$@" > '${folder}/deleted' ;;
  *create*) cat >/dev/null ;;
  *logs*) echo 'what the command prints' ;;
  *'get statefulset operator'*) printf '%s' '${gateway}' ;;
  *get*) printf '%s' '${exitCode}' ;;
esac
`;
  writeFileSync(join(folder, 'kubectl'), kubectl, { mode: 0o755 });
  rmSync(join(folder, 'patch'), { force: true });
  const ran = spawnSync('sh', [join(__dirname, 'run.sh'), ...words], {
    encoding: 'utf8',
    env: { ...own, PATH: `${folder}:${process.env['PATH'] ?? ''}` },
  });
  const change = JSON.parse(read('patch') || '[]') as { readonly path: string; readonly value: unknown }[];
  return { ...ran, valueOf: (end: string) => change.find(({ path }) => path.endsWith(end))?.value };
}

describe('run.sh', () => {
  it('runs a job with the words that were typed, and ends as the command ends', () => {
    const words = [
      'resolve',
      'operation',
      'op-1',
      '--executor-stopped',
      'the "host"\\was\treinstalled; $HOME `id`',
      '--yes',
    ];
    const ran = runScript(words, '3');
    expect(ran).toMatchObject({ status: 3, stdout: 'what the command prints\n' });
    expect(ran.valueOf('args')).toEqual(words);
    expect(ran.valueOf('secretName')).toBe('ops-resolve');
    expect(ran.valueOf('/metadata/name')).toMatch(/^ops-[0-9-]+$/);
    expect(ran.valueOf('volumes/-')).toBeUndefined();
    expect(read('created')).toBe('');
    expect(runScript(['migrate', '--apply']).valueOf('secretName')).toBe('ops-migrate');
    expect(runScript([]).valueOf('args')).toEqual(['--help']);
    expect(runScript(['show', 'a\nb'])).toMatchObject({ status: 2 });
  });

  it('runs the release that is deployed, or the image that is named', () => {
    const ops = 'registry.example/workspace-platform/ops';
    expect(runScript(['list']).valueOf('containers/0/image')).toBe(`${ops}:1.2.3`);
    const digest = `@sha256:${'a'.repeat(64)}`;
    const named = runScript(['list'], '0', deployed + digest, { OPS_IMAGE: `${ops}:1.2.3${digest}` });
    expect(named.valueOf('containers/0/image')).toBe(`${ops}:1.2.3${digest}`);
  });

  it.each([`${deployed}@sha256:${'a'.repeat(64)}`, '', 'registry.example/gateway:1.2.3'])(
    'starts nothing where the image of the gateway, “%s”, says nothing of its own',
    (gateway) => {
      const ran = runScript(['list'], '0', gateway);
      expect(ran).toMatchObject({ status: 2, stderr: expect.stringContaining('OPS_IMAGE') as string });
      expect(read('patch')).toBe('');
    },
  );

  it('takes the tokens of people along as a secret that ends with the command', () => {
    const [one, other] = ['token of ann', 'second'].map((name) => join(folder, name));
    for (const file of [one!, other!]) writeFileSync(file, 'e30.e30.e30');
    const words = ['resolve', 'operation', 'op-1', '--token-file', one!, '--approval-token-file', other!, '--yes'];
    const ran = runScript(words, '3');
    expect(ran.status).toBe(3);
    const place = '/run/secrets/people';
    expect(ran.valueOf('args')).toEqual([
      ...['resolve', 'operation', 'op-1', '--token-file', `${place}/file-1`],
      ...['--approval-token-file', `${place}/file-2`, '--yes'],
    ]);
    const job = String(ran.valueOf('/metadata/name'));
    expect(ran.valueOf('volumes/-')).toMatchObject({ name: 'people', secret: { secretName: job } });
    expect(ran.valueOf('volumeMounts/-')).toMatchObject({ name: 'people', mountPath: place, readOnly: true });
    expect(read('created').split('\n')).toEqual(
      expect.arrayContaining([job, `--from-file=file-1=${one}`, `--from-file=file-2=${other}`]),
    );
    expect(read('deleted').split('\n')).toContain(job);
  });

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('deletes the secret with the tokens also when %s ends it', async (signal, status) => {
    const token = join(folder, 'token');
    writeFileSync(token, 'e30.e30.e30');
    const kubectl = `#!/bin/sh
case "$*" in
  *'delete secret'*) printf '%s\\n' "$@" > '${folder}/deleted' ;;
  *logs*) echo follows; exec sleep 60 ;;
  *'get statefulset operator'*) printf '%s' '${deployed}' ;;
  *'create -f'*) cat >/dev/null ;;
esac
`;
    writeFileSync(join(folder, 'kubectl'), kubectl, { mode: 0o755 });
    const words = [join(__dirname, 'run.sh'), 'resolve', 'operation', 'op-1', '--token-file', token, '--yes'];
    // A group of its own, as in a terminal, whose Ctrl-C reaches the script and kubectl.
    const ran = spawn('sh', words, { detached: true, env: { PATH: `${folder}:${process.env['PATH'] ?? ''}` } });
    let said = '';
    ran.stderr.on('data', (text: Buffer) => (said += text.toString()));
    await new Promise((resolve) => ran.stdout.once('data', resolve));
    process.kill(-ran.pid!, signal);
    const code = await new Promise((resolve) => ran.once('close', resolve));
    expect({ code, deleted: read('deleted') }).toEqual({
      code: status,
      deleted: expect.stringMatching(/ops-\d/) as string,
    });
    expect(said).toMatch(/job ops-\d+-\d+ may go on/);
  });

  it('takes the file of a proposal along, and leaves the id of a stored one as it is', () => {
    const [token, proposal] = ['token of ben', 'proposal-1.json'].map((name) => join(folder, name));
    writeFileSync(token!, 'e30.e30.e30');
    writeFileSync(proposal!, '{}');
    const by = ['--token-file', token!, '--yes'];
    const place = '/run/secrets/people';
    const ran = runScript(['resolve', 'deletion', 't-1', '--proposal', proposal!, ...by]);
    expect(ran.valueOf('args')).toEqual([
      ...['resolve', 'deletion', 't-1', '--proposal', `${place}/file-1`],
      ...['--token-file', `${place}/file-2`, '--yes'],
    ]);
    expect(read('created').split('\n')).toEqual(
      expect.arrayContaining([`--from-file=file-1=${proposal}`, `--from-file=file-2=${token}`]),
    );
    const stored = runScript(['resolve', 'operation', 'op-1', '--proposal', '01a2-b3', ...by]);
    expect(stored.valueOf('args')).toEqual(
      expect.arrayContaining(['--proposal', '01a2-b3', '--token-file', `${place}/file-1`]),
    );
  });

  it('starts nothing for a token that cannot be read', () => {
    const ran = runScript(['resolve', 'operation', 'op-1', '--token-file', join(folder, 'absent')]);
    expect(ran).toMatchObject({ status: 2, stderr: expect.stringContaining('cannot be read') as string });
    expect(read('patch')).toBe('');
  });
});
