// The suites of the selected projects in one Jest run: one transform cache, one pair of embedded servers, and four
// workers that share the long suites. The reporter writes the totals of each project, which Nx caches as its output.
const { existsSync, readFileSync, rmSync } = require('node:fs');
const { join } = require('node:path');
const { executorOf, runTool } = require('./run-by-project.cjs');

const totalsFolder = ['.local', 'test-totals'];
/** Each suite evaluates its modules again; a larger young generation saves a sixth of a run's processor time. */
const memory = '--max-semi-space-size=32';

function readTotals(file) {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
}

/** With CI set, the parser under the lint canaries would read files from disk instead of the given text. */
const environment = (projects, folder) => ({
  ...process.env,
  TSESTREE_SINGLE_RUN: 'false',
  TEST_TOTALS_FOLDER: folder,
  TEST_PROJECTS: JSON.stringify(projects),
});

const { single, batch } = executorOf(async (selected, root, allProjects) => {
  const folder = join(root, ...totalsFolder);
  const fileOf = ({ name }) => join(folder, `${name}.json`);
  for (const project of selected) rmSync(fileOf(project), { force: true });
  const roots = selected.map((project) => `--roots=${join(root, project.root)}`);
  const args = [
    memory,
    join(root, 'node_modules/jest/bin/jest.js'),
    '--passWithNoTests',
    ...roots,
    ...selected[0].args,
  ];
  const { code } = await runTool(root, process.execPath, args, { show: true, env: environment(allProjects, folder) });
  const totals = selected.map((project) => readTotals(fileOf(project)));
  // A run that failed outside its suites, in its set-up or its end, proves nothing about any of them.
  const failedOutside = code !== 0 && totals.every((each) => !each || each.failed === 0);
  return new Map(selected.map(({ name }, at) => [name, resultOf(totals[at], failedOutside && code)]));
});

function resultOf(totals, failedOutside) {
  if (failedOutside !== false) return { success: false, terminalOutput: `Jest ended with ${failedOutside}` };
  if (!totals) return { success: true, terminalOutput: 'no suites' };
  const { passed, failed, skipped } = totals;
  return {
    success: failed === 0,
    terminalOutput: `${passed} passed, ${failed} failed, ${skipped.length} suites skipped`,
  };
}

module.exports = { default: single, batch };
