/** Rules that lint cannot check: tags, owners, names in the tree, no unfinished work, no disabled tests and checks. */
import { spawnSync } from 'node:child_process';
import { declaredCollections, files, projects, root, text } from './tree';

const all = files();
const sources = all.filter(
  (file) => /\.(ts|mjs|cjs|js|tsx)$/.test(file) && !/^test\/(architecture|lint-canaries)\//.test(file),
);

describe('every project', () => {
  const targets = ['build', 'lint', 'test', 'typecheck'];

  it.each(projects().map((project) => [project.folder, project] as const))(
    '%s has exactly one type and one scope, and the targets that Nx runs',
    (_folder, { tags, targets: declared }) => {
      expect(tags.filter((tag) => tag.startsWith('type:'))).toHaveLength(1);
      expect(tags.filter((tag) => tag.startsWith('scope:'))).toHaveLength(1);
      expect(declared.filter((target) => targets.includes(target)).sort()).toEqual(targets);
    },
  );

  it('holds every source file, so that no file is left out of lint, types and tests', () => {
    const folders = projects().map(({ folder }) => folder);
    const outside = sources.filter(
      (file) => file.includes('/') && !folders.some((folder) => file.startsWith(`${folder}/`)),
    );
    expect(outside).toEqual([]);
  });

  it('has a name of its own', () => {
    const names = projects().map(({ name }) => name);
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  });
});

describe('npm test', () => {
  it('also refuses what the formatter would write otherwise, and what nothing uses', () => {
    const { nx } = JSON.parse(text('package.json')) as { nx: { targets: Record<string, { command?: string }> } };
    expect(nx.targets['format']?.command).toMatch(/^prettier --check \. /);
    expect(nx.targets['unused']?.command).toMatch(/^knip( |$)/);
    const verify = text('infra/verify.mjs');
    expect(verify).toContain("const checks = ['format', 'unused', 'lint', 'typecheck'];");
    expect(verify).toContain("runTargets(['test'])");
  });
});

describe('the tree', () => {
  it('has the top level that the style names, and nothing else', () => {
    const top = new Set(all.map((file) => file.split('/')[0]!));
    const agreed = [
      ...[
        '.ci',
        '.dockerignore',
        '.editorconfig',
        '.env',
        '.git-blame-ignore-revs',
        '.gitattributes',
        '.github',
        '.gitignore',
        '.npmrc',
        '.nvmrc',
        '.nx',
        '.prettierignore',
        '.prettierrc.json',
        'knip.json',
      ],
      ...[
        'CHANGELOG.md',
        'CONTRIBUTING.md',
        'LICENSE',
        'README.md',
        'SECURITY.md',
        'docker-compose.yml',
        'docs',
        'eslint.config.mjs',
        'examples',
        'infra',
        'jest.config.cjs',
        'libs',
        'nx.json',
        '.oxlintrc.json',
      ],
      ...['package-lock.json', 'package.json', 'services', 'test', 'tsconfig.base.json', 'tsconfig.json'],
    ];
    expect([...top].filter((name) => !agreed.includes(name))).toEqual([]);
  });

  it('keeps out what an interrupted build of the documentation leaves beside its pages', () => {
    const left = 'docs/.vitepress/.temp/index.md.js';
    expect(spawnSync('git', ['check-ignore', left], { cwd: root, encoding: 'utf8' }).stdout).toBe(`${left}\n`);
  });

  it('names files and folders in kebab-case', () => {
    const odd = sources.filter(
      (file) =>
        !/\/(sample-project|project-template)\//.test(file) &&
        file.split('/').some((part) => !/^[.]?[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9-]+)*$/.test(part)),
    );
    expect(odd).toEqual([]);
  });

  it('has no drawer for what has no place', () => {
    expect(all.filter((file) => /(^|\/)(common|utils?|helpers?|misc|shared|manager)(\/|\.ts$)/.test(file))).toEqual([]);
  });

  it('gives every service that runs the same skeleton', () => {
    const services = new Set(
      all
        .filter((file) => /^services\/[^/]+\/src\/(main|compose|config)\.ts$/.test(file))
        .map((file) => file.split('/')[1]!),
    );
    expect([...services]).toEqual(
      expect.arrayContaining(['billing-webhook', 'lifecycle-delivery', 'operator', 'provisioning']),
    );
    for (const service of services) {
      for (const file of ['README.md', 'package.json', 'src/main.ts', 'src/config.ts', 'src/compose.ts'])
        expect(all).toContain(`services/${service}/${file}`);
    }
  });
});

describe('a collection', () => {
  const declared = declaredCollections();

  it('is declared by exactly one service, or by each for itself where every service keeps its own', () => {
    const perService = ['audit_blocks', 'provider_event_admissions'];
    const owners = new Map<string, Set<string>>();
    for (const { collection, service } of declared)
      owners.set(collection, (owners.get(collection) ?? new Set()).add(service));
    expect(
      [...owners].filter(([collection, services]) => services.size > 1 && !perService.includes(collection)),
    ).toEqual([]);
    expect(declared.length).toBeGreaterThanOrEqual(6);
  });

  it.each([...new Set(declared.map(({ service }) => service))])('of %s is in the table of its README', (service) => {
    const readme = text(`services/${service}/README.md`);
    for (const { collection } of declared.filter((each) => each.service === service))
      expect(readme).toContain(`\`${collection}\``);
    for (const heading of ['Owns', 'Serves', 'Publishes', 'Consumes'])
      expect(readme).toMatch(new RegExp(`^#+ .*${heading}`, 'mi'));
  });
});

describe('a subject', () => {
  it('is spelt in contracts, topology and permissions only', () => {
    const spelt =
      /['"](lifecycle\.(message|settled|consumer|inspect)|tenant\.(lifecycle|receipt)|provider\.(event|outcome)|workspace\.(committed|cancelled)|provisioning\.gate)\./;
    const outside = sources.filter(
      (file) =>
        !/^(libs\/contracts\/|infra\/nats\/|test\/)/.test(file) &&
        !/\.(spec|features|harness)\.ts$|\/testing(\/|\.ts)/.test(file) &&
        spelt.test(text(file)),
    );
    expect(outside).toEqual([]);
  });
});

describe('nothing unfinished or switched off', () => {
  const forbidden: readonly (readonly [string, RegExp])[] = [
    ['notes to self', /\b(TODO|FIXME|XXX|HACK)\b/],
    [
      'suites that run alone or not at all',
      /\b(describe|it|test)\.(only|skip|todo)\s*\(|\b(xit|xdescribe|fit|fdescribe)\s*\(/,
    ],
    ['suppressed checks', /eslint-disable|@ts-(ignore|nocheck)/],
    ['escapes from the types', /\bas any\b/],
    ['fixed sleeps in tests', /await new Promise\(\(?\w*\)? => setTimeout\(\w+, \d{3,}\)\)/],
  ];
  it.each(forbidden)('holds %s', (_name, pattern) => {
    // Suppressions are in comments, escapes in code; prose may say "as any".
    const searched = (file: string) =>
      pattern.source.includes('as any') ? text(file).replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '') : text(file);
    expect(sources.filter((file) => pattern.test(searched(file)))).toEqual([]);
  });
});

describe('the time limit of a test', () => {
  it('is that of jest.config.cjs or a longer one, so that no verdict depends on how busy the machine is', () => {
    const short = files()
      .filter((file) => /\.(spec|features|harness)\.tsx?$/.test(file))
      .flatMap((file) =>
        [...text(file).matchAll(/^\s*(?:\}, |jest\.setTimeout\()([\d_]+)\);$/gm)]
          .filter(([, milliseconds]) => Number(milliseconds!.replaceAll('_', '')) < 900_000)
          .map(([line]) => `${file}: ${line.trim()}`),
      );
    expect(short).toEqual([]);
  });
});
