// Lint of the selected projects: ESLint for boundaries, layers and house rules, which need no types; oxlint, whose
// compiler is native, for the rules that need types. Both run once for all projects of a batch.
const { existsSync } = require('node:fs');
const { join, relative } = require('node:path');
const { executorOf, resultsOf, runTool } = require('./run-by-project.cjs');

/** The root project owns its files, but not the folders of the other projects. */
const rootFiles = ['*.mjs', '*.cjs'];
const patternsOf = (selected) => selected.flatMap(({ root }) => (root === '.' ? rootFiles : [root]));

async function runEslint(selected, root) {
  process.env.NX_DAEMON = 'false';
  const { ESLint } = require('eslint');
  const eslint = new ESLint({ cwd: root, errorOnUnmatchedPattern: false });
  const results = await eslint.lintFiles(patternsOf(selected));
  return results.flatMap(({ filePath, messages }) =>
    messages.map(({ line, column, message, ruleId }) => {
      const file = relative(root, filePath);
      return { file, line: `${file}:${line ?? 1}:${column ?? 1} ${message} (${ruleId ?? 'not parsed'})` };
    }),
  );
}

async function runOxlint(selected, root) {
  const folders = selected.map((project) => (project.root === '.' ? 'eslint.config.mjs' : project.root));
  const program = join(root, 'node_modules/oxlint/bin/oxlint');
  if (!existsSync(program)) return [{ file: null, line: 'oxlint is not installed: run `node infra/setup.mjs`.' }];
  const env = { ...process.env, PATH: `${join(root, 'node_modules/.bin')}:${process.env.PATH}` };
  const { code, stdout, stderr } = await runTool(
    root,
    process.execPath,
    [program, '--type-aware', '-c', '.oxlintrc.json', '--format', 'json', ...folders],
    { env },
  );
  return readOxlint(code, stdout, stderr, root);
}

function readOxlint(code, stdout, stderr, root) {
  let report;
  try {
    report = JSON.parse(stdout);
  } catch {
    return [{ file: null, line: `oxlint ended with ${code}: ${stdout}${stderr}`.trim() }];
  }
  const findings = report.diagnostics.map(({ filename, message, code: rule, labels }) => {
    const file = filename ? relative(root, join(root, filename)) : null;
    const { line = 1, column = 1 } = labels?.[0]?.span ?? {};
    return { file, line: `${file}:${line}:${column} ${message} (${rule})` };
  });
  if (code !== 0 && findings.length === 0)
    findings.push({ file: null, line: `oxlint ended with ${code}: ${stderr}`.trim() });
  return findings;
}

const { single, batch } = executorOf(async (selected, root, allProjects) => {
  const [byEslint, byOxlint] = await Promise.all([runEslint(selected, root), runOxlint(selected, root)]);
  return resultsOf(selected, allProjects, [...byEslint, ...byOxlint]);
});

module.exports = { default: single, batch };
