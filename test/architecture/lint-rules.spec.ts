/** A rule that does not fire protects nothing: each is shown code that breaks it. */
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { readFileSync } from 'node:fs';

const root = path.resolve(__dirname, '../..');

describe('the lint rules of the house', () => {
  const printed = execFileSync(process.execPath, [path.join(__dirname, 'canary/lint-canaries.mjs')], {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, NX_DAEMON: 'false', NX_NO_CLOUD: 'true' },
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: 120_000,
  });
  const found = new Map((JSON.parse(printed.trim().split('\n').at(-1)!) as { name: string; rules: string[] }[]).map(({ name, rules }) => [name, rules]));
  const source = readFileSync(path.join(__dirname, 'canary/canaries.mjs'), 'utf8');

  it('are shown at least two dozen canaries', () => expect(found.size).toBeGreaterThanOrEqual(24));

  it.each([...found])('catch %s', (name, rules) => {
    const sdk = / outside its one place$/.test(name);
    const expected = sdk ? 'no-restricted-imports' : new RegExp(`name: '${name}', rule: '([^']+)'`).exec(source)?.[1];
    expect(expected).toBeDefined();
    expect(rules).toContain(expected);
  });
});
