/** What is shown of a part that ends: the output of that start, and not of those before in the same log. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Part } from './part';
import { startPart, tailOf } from './part-process';
import { readSettings } from './settings';

let localDir: string;
beforeEach(() => (localDir = mkdtempSync(join(tmpdir(), 'part-process-'))));
afterEach(() => rmSync(localDir, { recursive: true }));

describe('the end of the log of a part', () => {
  it('has the lines of its last start alone, while the file keeps those of all', async () => {
    const script = join(localDir, 'part.cjs');
    const settings = readSettings({ LOCAL_DIR: localDir }, resolve(__dirname, '../..'));
    const part: Part = {
      ...{ name: 'speaker', kind: 'once', title: 'speaks', after: [], command: [script] },
      ...{ environment: {}, heapMegabytes: 64 },
    };
    const start = async (text: string) => {
      writeFileSync(script, `console.log(${JSON.stringify(text)}); process.exit(1);`);
      const running = await startPart(part, settings);
      expect(await running.ended).toBe('code 1');
      return tailOf(running);
    };
    expect(await start('the disk is full')).toBe('    the disk is full');
    expect(await start('the port is taken')).toBe('    the port is taken');
    expect(await start('')).toBe('    (no log)');
    expect(readFileSync(join(localDir, 'logs', 'speaker.log'), 'utf8')).toContain('the disk is full');
  });

  it('has the last 15 lines, each cut, and says where there are none to read', () => {
    const lines = Array.from({ length: 20 }, (_, at) => `line ${at}`);
    expect(tailOf({ readOutput: () => lines.join('\n') }).split('\n')).toEqual(
      lines.slice(5).map((line) => `    ${line}`),
    );
    expect(tailOf({ readOutput: () => 'x'.repeat(3_000) })).toHaveLength(2_004);
    const gone = () => {
      throw new Error('ENOENT');
    };
    expect(tailOf({ readOutput: gone })).toBe('    (no log)');
  });
});
