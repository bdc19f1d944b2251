// `npm run pack`: the libraries that page projects import, as separate packages. Code is bundled by esbuild, types come
// from the compiler; the packages of the registry are not bundled and become dependencies, in the versions of this
// repository.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import commandLine from '../libs/command-line/src/index.cjs';
import command from './pack.command.cjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const template = join(root, 'services/query-builder/project-template');
const licence = readFileSync(join(root, 'LICENSE'), 'utf8');
const own = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** The folder, and the entries by their import path. */
const packages = [
  {
    folder: 'libs/page-runtime',
    description: 'What pages, models and resources import.',
    entries: { '.': 'src/index.ts', './chart': 'src/chart/index.ts' },
  },
  {
    folder: 'libs/interfaces/base',
    description: 'Addresses of pages and of their routes.',
    entries: { './page': 'src/page/index.ts' },
  },
  {
    folder: 'libs/interfaces/builder',
    description: 'The query builder: its operations, what a template is, and a typed client.',
    entries: { '.': 'src/index.ts', './client': 'src/client/index.ts' },
  },
];

/** `./page` becomes `page`, `.` becomes `index`. */
const fileOf = (entry) => (entry === '.' ? 'index' : entry.slice(2).replaceAll('/', '-'));

/** Names of the packages; one that imports another depends on it. */
const published = packages.map(({ folder }) => manifestOf(folder).name);

function manifestOf(folder) {
  return JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
}

async function build({ folder, description, entries }, draft) {
  const esbuild = await import('esbuild');
  const { name, version } = manifestOf(folder);
  const { metafile } = await esbuild.build({
    absWorkingDir: root,
    entryPoints: Object.entries(entries).map(([entry, file]) => ({ in: join(folder, file), out: fileOf(entry) })),
    outdir: draft,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    packages: 'external',
    external: published.filter((each) => each !== name).flatMap((each) => [each, `${each}/*`]),
    keepNames: true,
    tsconfig: 'tsconfig.base.json',
    metafile: true,
    logLevel: 'silent',
  });
  const typesOf = await emitTypes(folder, Object.values(entries), join(draft, 'types'));
  const imported = Object.values(metafile.outputs).flatMap(({ imports }) => imports.map(({ path }) => path));
  const ours = published.filter(
    (each) => each !== name && [...imported, ...typesOf.imports].some((path) => isOf(each, path)),
  );
  const dependencies = {
    ...Object.fromEntries(ours.map((each) => [each, version])),
    ...Object.fromEntries(
      Object.entries(own.dependencies).filter(([each]) =>
        [...imported, ...typesOf.imports].some((path) => isOf(each, path)),
      ),
    ),
  };
  const manifest = {
    name,
    version,
    description,
    license: own.license ?? 'SEE LICENSE IN LICENSE',
    engines: own.engines,
    exports: Object.fromEntries(
      Object.entries(entries).map(([entry, file]) => [
        entry,
        { types: `./types/${typesOf.entry(file)}`, default: `./${fileOf(entry)}.js` },
      ]),
    ),
    ...(entries['.'] && { main: './index.js', types: `./types/${typesOf.entry(entries['.'])}` }),
    ...(Object.keys(dependencies).length > 0 && { dependencies }),
  };
  writeFileSync(join(draft, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  writeFileSync(join(draft, 'LICENSE'), licence);
  const readme = join(root, folder, 'README.md');
  writeFileSync(
    join(draft, 'README.md'),
    existsSync(readme) ? readFileSync(readme, 'utf8') : `# ${name}\n\n${description}\n`,
  );
}

const isOf = (name, path) => path === name || path.startsWith(`${name}/`);

const parsed = new Map();

/** Each file is parsed once for all packages: most files of a program are the libraries that every program reads. */
function sharedHost(ts, options) {
  const host = ts.createCompilerHost(options);
  const { getSourceFile } = host;
  host.getSourceFile = (file, target, ...more) => {
    const key = `${file} ${typeof target === 'object' ? (target.impliedNodeFormat ?? '') : ''}`;
    if (!parsed.has(key)) parsed.set(key, getSourceFile(file, target, ...more));
    return parsed.get(key);
  };
  return host;
}

/**
 * Declarations of the entries and of what they import; returns the location of the entry's declaration. Throws for a
 * package that npm cannot install.
 */
async function emitTypes(folder, entries, outDir) {
  const { default: ts } = await import('typescript');
  const { options } = ts.parseJsonConfigFileContent(
    JSON.parse(readFileSync(join(root, 'tsconfig.base.json'), 'utf8')),
    ts.sys,
    root,
  );
  const program = ts.createProgram(
    entries.map((file) => join(root, folder, file)),
    {
      ...options,
      types: ['node'],
      noEmit: false,
      allowJs: false,
      sourceMap: false,
      declaration: true,
      emitDeclarationOnly: true,
      rootDir: join(root, 'libs'),
      outDir,
    },
    sharedHost(ts, options),
  );
  const sources = join(outDir, relative('libs', folder), 'src');
  const imports = new Set();
  const { diagnostics } = program.emit(undefined, (file, text) => {
    // Files of another published package are in that package.
    if (!file.startsWith(`${sources}/`)) return;
    for (const [, path] of text.matchAll(/from '([^'.][^']*)'/g)) imports.add(path);
    const target = join(outDir, relative(sources, file));
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, text);
  });
  const stray = [...imports].find(
    (path) => path.startsWith('@platform/') && !published.some((each) => isOf(each, path)),
  );
  if (stray) throw new Error(`the types of ${folder} name ${stray}, which is no published package`);
  const wrong = [...ts.getPreEmitDiagnostics(program), ...diagnostics];
  if (wrong.length > 0)
    throw new Error(
      ts.formatDiagnostics(wrong, {
        getCanonicalFileName: (f) => f,
        getCurrentDirectory: () => root,
        getNewLine: () => '\n',
      }),
    );
  return { imports: [...imports], entry: (file) => file.replace(/^src\//, '').replace(/\.ts$/, '.d.ts') };
}

/** The archives that npm makes of folders. */
function packed(drafts, out) {
  const { status, stdout, stderr } = spawnSync('npm', ['pack', '--json', '--pack-destination', out, ...drafts], {
    cwd: out,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`npm pack failed:\n${stderr}`);
  return JSON.parse(stdout).map(({ filename }) => filename);
}

async function pack({ values: { out: given, project } }) {
  const out = resolve(given ?? join(root, 'dist/packages'));
  if (project !== undefined && existsSync(project) && readdirSync(project).length > 0) {
    console.error(`pack: ${project} is not empty; name a new folder`);
    return commandLine.exitCodes.misused;
  }
  mkdirSync(out, { recursive: true });
  const draftOf = ({ folder }) => join(out, `.${basename(folder)}.${process.pid}`);
  let files;
  try {
    for (const each of packages) {
      mkdirSync(draftOf(each));
      await build(each, draftOf(each));
    }
    files = packed(packages.map(draftOf), out);
  } finally {
    for (const each of packages) rmSync(draftOf(each), { recursive: true, force: true });
  }
  for (const file of files) console.log(join(out, file));
  if (project !== undefined) begin(resolve(project), out, files);
  return undefined;
}

function begin(project, out, files) {
  cpSync(template, project, { recursive: true });
  // npm leaves a .gitignore out of packages and mirrors, so it has another name in the template.
  renameSync(join(project, 'gitignore'), join(project, '.gitignore'));
  mkdirSync(join(project, 'vendor'));
  for (const file of files) cpSync(join(out, file), join(project, 'vendor', file));
  console.log(`\n${project} is a page project: cd there, then npm install && npm test`);
}

await commandLine.runCommand(command, pack);
