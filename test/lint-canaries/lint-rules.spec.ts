/** Shows each lint rule code that breaks it, and proves that the rule fires. */
import { execFileSync } from 'node:child_process';
import path from 'node:path';

const root = path.resolve(__dirname, '../..');

describe('the lint rules of the house', () => {
  const printed = execFileSync(process.execPath, [path.join(__dirname, 'lint-canaries.mjs')], {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, NX_DAEMON: 'false', NX_NO_CLOUD: 'true' },
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: 120_000,
  });
  const canaries = JSON.parse(printed.trim().split('\n').at(-1)!) as {
    name: string;
    expected: string;
    rules: string[];
  }[];

  it('are shown at least two dozen canaries', () => expect(canaries.length).toBeGreaterThanOrEqual(24));

  it.each(canaries)('catch $name', ({ expected, rules }) => {
    expect(rules).toContain(expected);
  });
});
