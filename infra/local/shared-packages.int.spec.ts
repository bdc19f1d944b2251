/** A built program loads shared packages from their files: a second copy costs memory, and its classes are others. */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { buildBundles } from '../../test/support/platform';
import { runProgram } from '../../test/support/run-program';

const root = resolve(__dirname, '../..');
/** Found beside their own files, so they are not bundled. */
const fromTheirFolder = ['esbuild'];
const listLoaded = `process.once('exit', () => {
  const files = Object.keys(require.cache).filter((file) => file.includes('node_modules'));
  const names = files.map((file) => /.*node_modules[/\\\\]((?:@[^/\\\\]+[/\\\\])?[^/\\\\]+)/.exec(file)[1]);
  console.log(JSON.stringify([...new Set(names)]));
});`;
const programs = [
  ...readdirSync(join(root, 'services')).map((name) => `dist/services/${name}/main.js`),
  'dist/examples/search-index-consumer/main.js',
  'dist/examples/storage-consumer/main.js',
];

let folder: string;
const preload = () => join(folder, 'preload.cjs');
const start = (program: string) =>
  runProgram(['--require', preload(), '--require', './infra/local/compile-cache.cjs', program], { env: {} });

beforeAll(async () => {
  await buildBundles();
  folder = mkdtempSync(join(tmpdir(), 'shared-packages-'));
  writeFileSync(preload(), listLoaded);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('a start of a built program', () => {
  it.each(programs)('%s has one copy of each package that programs share', async (program) => {
    const { stdout, stderr } = await start(program);
    expect(stderr).toContain('is not set');
    const loaded = JSON.parse(stdout) as string[];
    expect(loaded.filter((name) => !fromTheirFolder.includes(name))).toEqual([]);
  });
});
