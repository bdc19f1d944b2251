/**
 * How `npm run audit` reads npm's answers: when the registry does not answer, packages are never reported as free of
 * vulnerabilities.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(__dirname, '..');

function judge(answer: unknown): { end: number; lines: string[] } {
  const text = typeof answer === 'string' ? answer : JSON.stringify(answer);
  const program = `import(${JSON.stringify(join(root, 'infra/audit.mjs'))}).then(({ judge }) => console.log(JSON.stringify(judge(process.env.ANSWER))))`;
  return JSON.parse(
    execFileSync(process.execPath, ['-e', program], { encoding: 'utf8', env: { ...process.env, ANSWER: text } }),
  ) as { end: number; lines: string[] };
}
const report = (vulnerabilities: object, counts: object) => ({
  auditReportVersion: 2,
  vulnerabilities,
  metadata: { vulnerabilities: counts, dependencies: { prod: 120 } },
});

describe('the audit of dependencies', () => {
  it('ends with 0 only when the registry answered and knows nothing grave', () => {
    expect(judge(report({ light: { name: 'light', severity: 'moderate', range: '<2' } }, { moderate: 1 }))).toEqual({
      end: 0,
      lines: [
        '120 packages that ship were asked about: 0 with weaknesses of high or critical weight, 1 with lighter ones.',
      ],
    });
  });

  it('names what is grave and ends with 1', () => {
    const { end, lines } = judge(
      report({ leaky: { name: 'leaky', severity: 'critical', range: '<=1.2.3' } }, { critical: 1 }),
    );
    expect([end, lines[0]]).toEqual([1, 'critical: leaky <=1.2.3']);
  });

  it.each([
    [
      'an endpoint that does not serve the question',
      { message: '405 Method Not Allowed', statusCode: 405, error: { summary: '', detail: '' } },
      /NOT CHECKED: .*405 Method Not Allowed/,
    ],
    [
      'a registry that cannot be reached',
      { error: { code: 'ENOTFOUND', summary: 'request failed' } },
      /NOT CHECKED: .*ENOTFOUND: request failed/,
    ],
    ['an answer without figures', {}, /NOT CHECKED/],
    ['no answer', '', /NOT CHECKED: npm audit gave no answer/],
  ])('ends with 3 and says that nothing was checked after %s', (_name, answer, message) => {
    const { end, lines } = judge(answer);
    expect([end, lines.join('\n')]).toEqual([3, expect.stringMatching(message)]);
  });
});

describe('the list of what ships', () => {
  it('is a CycloneDX document with the packages of production and none of development', () => {
    const made = spawnSync('npm', ['run', '--silent', 'sbom'], {
      cwd: root,
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
    });
    const { bomFormat, components } = JSON.parse(made.stdout) as {
      bomFormat: string;
      components: { name: string; version: string }[];
    };
    const { dependencies, devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Record<
      'dependencies' | 'devDependencies',
      Record<string, string>
    >;
    const shipped = new Map(components.map(({ name, version }) => [name, version]));
    expect(bomFormat).toBe('CycloneDX');
    for (const [name, version] of Object.entries(dependencies))
      expect([name, shipped.get(name)]).toEqual([name, version]);
    // Required both by shipped and by development packages.
    for (const name of ['debug', 'semver']) expect([name, shipped.has(name)]).toEqual([name, true]);
    for (const name of ['jest', 'typescript', 'eslint', 'playwright-core'])
      expect([Object.hasOwn(devDependencies, name), shipped.has(name)]).toEqual([true, false]);
  });
});
