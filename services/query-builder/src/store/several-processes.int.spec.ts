import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { proofSize } from '@platform/testing';
import { buildSync } from 'esbuild';
import { complaintsAbout } from '../testing/compile-project';
import { dataOf, openScratchProject, type ScratchProject } from '../testing/scratch-project';

const root = resolve(__dirname, '../../../..');
// The program must be below the installed packages, because it finds them from its own location.
mkdirSync(join(root, '.local'), { recursive: true });
const folder = mkdtempSync(join(root, '.local/builder-writers-'));
const program = join(folder, 'writers.js');
const pages = ['/shop/orders', '/shop/customers', '/shop/products'];
// Two rounds are the fewest in which a writer removes what it added.
const rounds = Number(process.env['WRITER_ROUNDS'] ?? proofSize({ lean: 2, full: 4 }));
const kills = Number(process.env['KILLS'] ?? proofSize({ lean: 1, full: 6 }));
const writers = proofSize({ lean: 6, full: 16 });

beforeAll(() => {
  buildSync({
    entryPoints: [join(__dirname, '../testing/writer-process.ts')],
    outfile: program,
    bundle: true,
    platform: 'node',
    packages: 'external',
    tsconfig: join(root, 'tsconfig.base.json'),
    logLevel: 'silent',
  });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Ended {
  readonly code: number | null;
  readonly signal: string | null;
  readonly complaint: string;
}

function run(scratch: ScratchProject, mark: string, more: object = {}): Promise<Ended> {
  const child = spawn(
    process.execPath,
    [program, JSON.stringify({ folder: scratch.folder, mark, writers, rounds, pages, ...more })],
    { env: { PATH: process.env['PATH'] ?? '', TMPDIR: tmpdir() }, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let complaint = '';
  child.stderr.on('data', (bytes: Buffer) => (complaint += bytes.toString()));
  return new Promise((done) => child.once('close', (code, signal) => done({ code, signal, complaint })));
}

async function namesOf(scratch: ScratchProject): Promise<string[]> {
  const structures = await Promise.all(pages.map((page) => scratch.builder.getPageStructure(page)));
  const queries = structures.flatMap((structure) => dataOf(structure).queries);
  expect(queries.filter(({ opaque }) => opaque)).toEqual([]);
  return queries.map(({ name }) => name).sort();
}

describe(`two processes with ${writers} writers each`, () => {
  it(`lose nothing in ${rounds} rounds, and leave a project that compiles`, async () => {
    const scratch = await openScratchProject();
    const before = await namesOf(scratch);
    const ended = await Promise.all(['a', 'b'].map((mark) => run(scratch, mark)));
    expect(ended).toEqual(ended.map(() => ({ code: 0, signal: null, complaint: '' })));
    const written = ['a', 'b'].flatMap((mark) =>
      Array.from({ length: writers }, (_unused, writer) => `${mark}w${writer}r${rounds - 1}`),
    );
    expect(await namesOf(scratch)).toEqual([...before, ...written].sort());
    expect(complaintsAbout(scratch.folder)).toEqual([]);
    scratch.remove();
  }, 1_800_000);

  it(`go on when one of them is killed in the middle of its writes (${kills} times)`, async () => {
    const scratch = await openScratchProject();
    for (let kill = 0; kill < kills; kill += 1) {
      const killed = await run(scratch, `k${kill}`, { writers: 4, rounds: 2, killAt: 20 + kill * 53 });
      expect(killed.signal).toBe('SIGKILL');
      expect(complaintsAbout(scratch.folder)).toEqual([]);
      await namesOf(scratch);
    }
    const { code, complaint } = await run(scratch, 'z', { writers: 4, rounds: 1 });
    expect([code, complaint]).toEqual([0, '']);
    expect((await namesOf(scratch)).filter((name) => name.startsWith('zw'))).toHaveLength(4);
    scratch.remove();
  }, 1_800_000);
});
