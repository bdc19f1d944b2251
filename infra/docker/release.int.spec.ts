/** How a release handles images: pinned by digest in every place, listed, signed; without a registry. */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';
import { runProgram } from '../../test/support/run-program';

const root = resolve(__dirname, '../..');
const program = 'infra/docker/pulled-images.mjs';
const digest = `sha256:${'a'.repeat(64)}`;

describe('the images that are pulled', () => {
  it('are listed, each by a version', async () => {
    const { stdout } = await runProgram([program]);
    const images = stdout.trim().split('\n');
    expect(images).toEqual([
      expect.stringMatching(/^grafana\/grafana:12\./),
      expect.stringMatching(/^jaegertracing\/jaeger:2\./),
      expect.stringMatching(/^mongo:8\.0/),
      expect.stringMatching(/^nats:2\.12\.12/),
      expect.stringMatching(/^node:24\./),
      expect.stringMatching(/^prom\/prometheus:v3\./),
    ]);
  });

  it('are pinned by digest in recipe, Compose and manifests alike', async () => {
    const copy = mkdtempSync(join(tmpdir(), 'pinned-'));
    try {
      for (const path of ['docker-compose.yml', 'infra/docker/Dockerfile', 'infra/k8s'])
        cpSync(join(root, path), join(copy, path), { recursive: true });
      const images = (await runProgram([program])).stdout.trim().split('\n');
      expect(await runProgram([program, '--check', '--root', copy])).toMatchObject({ status: 1 });
      for (const image of images) {
        expect(await runProgram([program, '--pin', '--root', copy, image, digest])).toMatchObject({
          status: 0,
          stderr: '',
        });
        // A second run, with images that have become newer.
        expect(await runProgram([program, '--pin', '--root', copy, image, digest])).toMatchObject({ status: 0 });
      }
      expect(await runProgram([program, '--check', '--root', copy])).toMatchObject({ status: 0 });
      const broker = readFileSync(join(copy, 'infra/k8s/base/nats.yaml'), 'utf8');
      expect(broker.match(/@sha256/g)).toHaveLength(1);
      expect(broker).toMatch(new RegExp(`image: nats:[\\w.-]+@${digest}$`, 'm'));
      expect(
        readFileSync(join(copy, 'infra/docker/Dockerfile'), 'utf8').match(/^FROM node:\S+@sha256:/gm),
      ).toHaveLength(2);
    } finally {
      rmSync(copy, { recursive: true });
    }
  });

  it('take nothing for a digest that is none', async () => {
    const refused = await runProgram([program, '--pin', 'nats:2.12.12-alpine', 'latest']);
    expect(refused.status).not.toBe(0);
    expect(refused.stderr).toContain('latest is no digest');
  });
});

describe('the workflow of a release', () => {
  const workflow = parse(readFileSync(join(root, '.github/workflows/release.yml'), 'utf8')) as {
    jobs: { images: { permissions: Record<string, string>; steps: { run?: string; uses?: string }[] } };
  };
  const { permissions, steps } = workflow.jobs.images;
  const at = (text: string): number => steps.findIndex(({ run, uses }) => `${run ?? ''}${uses ?? ''}`.includes(text));

  it('asks for weaknesses, lists what ships, pins, builds, then signs images, list and deployment', () => {
    const order = [
      'npm run audit',
      'npm run -s sbom',
      '--pin',
      'docker compose build',
      'cosign sign --yes',
      'upload-artifact',
    ];
    const found = order.map(at);
    expect(found.every((place) => place >= 0)).toBe(true);
    expect(found).toEqual([...found].sort((a, b) => a - b));
    expect(steps[at('cosign sign')]?.run).toMatch(/cosign attest[^]*sbom[^]*sign-blob[^]*deployment/);
    expect(permissions['id-token']).toBe('write');
  });

  it('may write packages and signatures, and nothing of the repository', () => {
    expect(permissions).toEqual({ contents: 'read', packages: 'write', 'id-token': 'write' });
  });

  it('goes on after no failure', () => {
    expect(JSON.stringify(workflow)).not.toMatch(/continue-on-error|\|\| true/);
  });
});

describe('the programs of other publishers in the workflows', () => {
  const folder = join(root, '.github/workflows');
  const used = readdirSync(folder).flatMap((name) =>
    [...readFileSync(join(folder, name), 'utf8').matchAll(/^.*\buses: *(.*)$/gm)].map(([, program]) => program),
  );

  // A tag can be moved to other code, which would run beside the identity that signs.
  it('are pinned by commit, with the version in words', () => {
    expect(used.length).toBeGreaterThan(10);
    expect(used.filter((program) => !/^[\w.-]+\/[\w.-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(program!))).toEqual([]);
  });
});
