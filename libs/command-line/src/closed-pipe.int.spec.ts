import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const program = `
  const { runCommand } = require(process.argv[1]);
  const definition = { name: 'long', usage: 'long', summary: 'Says much.', words: ['<file>'], options: {} };
  const work = async ({ words: [file] }) => {
    for (let line = 0; line < 100; line += 1) {
      process.stdout.write('x'.repeat(10_000));
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    require('node:fs').writeFileSync(file, 'done');
    return 3;
  };
  void runCommand(definition, work, { args: process.argv.slice(2) });
`;

describe('a command whose reader leaves early', () => {
  const folder = mkdtempSync(join(tmpdir(), 'closed-pipe-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('does the whole of its work, says nothing of it, and ends with its own code', async () => {
    const file = join(folder, 'done');
    const running = spawn(process.execPath, ['-e', program, join(__dirname, 'index.cjs'), file]);
    let complaint = '';
    running.stderr.on('data', (bytes) => (complaint += String(bytes)));
    running.stdout.once('data', () => running.stdout.destroy());
    const [code] = (await once(running, 'close')) as [number];
    expect({ code, complaint }).toEqual({ code: 3, complaint: '' });
    expect(readFileSync(file, 'utf8')).toBe('done');
  });
});
