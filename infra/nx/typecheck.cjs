// Strict types of the selected projects by the native compiler: one program for everything on Node, and one for each
// project that runs in a browser. When all projects are selected, the program of tsconfig.json is used; otherwise a
// program of just their files.
const { mkdirSync, writeFileSync } = require('node:fs');
const { join, relative } = require('node:path');
const { executorOf, resultsOf, runTool } = require('./run-by-project.cjs');

const browserProjects = ['libs/design-parts', 'libs/operator-console', 'libs/owner-pages', 'libs/query-studio'];
const diagnostic = /^(.+?)\(\d+,\d+\): error TS\d+/;

/** A configuration in the cache folder that includes the folders of the selected projects. */
function configurationOf(selected, root) {
  const folder = join(root, '.local', 'cache');
  mkdirSync(folder, { recursive: true });
  const file = join(
    folder,
    `tsconfig.${selected
      .map(({ name }) => name)
      .join('+')
      .slice(0, 100)}.json`,
  );
  const up = relative(folder, root);
  // Declarations of modules that are no code, as of styles, are in another project than some of their importers.
  const ambient = `${up}/libs/*/src/*.d.ts`;
  const own = selected.map((project) => (project.root === '.' ? `${up}/*.ts` : `${up}/${project.root}/**/*.ts`));
  const include = [...own, ambient];
  const { exclude } = require(join(root, 'tsconfig.json'));
  const settings = {
    extends: `${up}/tsconfig.json`,
    compilerOptions: { incremental: false, rootDir: up },
    include,
    exclude: exclude.map((glob) => `${up}/${glob}`),
  };
  writeFileSync(file, JSON.stringify(settings, null, 2));
  return file;
}

async function findingsOf(configuration, root) {
  const compiler = join(root, 'node_modules/typescript-native/bin/tsc');
  const { code, stdout, stderr } = await runTool(root, process.execPath, [
    compiler,
    '-p',
    configuration,
    '--pretty',
    'false',
  ]);
  const findings = [];
  for (const line of `${stdout}${stderr}`.split('\n').filter(Boolean)) {
    const file = diagnostic.exec(line)?.[1];
    if (file) findings.push({ file: relative(root, join(root, file)), line });
    else if (findings.length > 0 && /^\s/.test(line)) findings[findings.length - 1].line += `\n${line}`;
    else if (!/^error TS18003/.test(line)) findings.push({ file: null, line });
  }
  const emptySelection = /error TS18003/.test(stdout);
  if (code !== 0 && findings.length === 0 && !emptySelection)
    findings.push({ file: null, line: `The compiler ended with ${code}.` });
  return findings;
}

const { single, batch } = executorOf(async (selected, root, allProjects) => {
  const onNode = selected.filter(({ root: folder }) => !browserProjects.includes(folder));
  const everything = selected.length === allProjects.filter(({ root: folder }) => folder !== '.').length;
  const programs = [];
  if (onNode.length > 0) programs.push(everything ? 'tsconfig.json' : configurationOf(onNode, root));
  for (const { root: folder } of selected)
    if (browserProjects.includes(folder)) programs.push(`${folder}/tsconfig.json`);
  const found = await Promise.all(programs.map((configuration) => findingsOf(configuration, root)));
  return resultsOf(selected, allProjects, found.flat());
});

module.exports = { default: single, batch };
