// Writes the totals of a run and its skipped suites, for the closing line of `npm test`: one file for each project that
// Nx runs (TEST_TOTALS_FOLDER, TEST_PROJECTS), or one for all (TEST_TOTALS_FILE). A suite that could not run counts as
// one failure. Jest records no reason for a skip, so suites put it in the title.
const { mkdirSync, writeFileSync } = require('node:fs');
const { join, relative } = require('node:path');
const { ownerOf } = require('../../infra/nx/run-by-project.cjs');

module.exports = class TotalsReporter {
  constructor(config) {
    this.rootDir = config.rootDir;
  }

  onRunComplete(_contexts, results) {
    const { TEST_TOTALS_FILE: file, TEST_TOTALS_FOLDER: folder, TEST_PROJECTS: projects } = process.env;
    if (file) writeFileSync(file, JSON.stringify(this.totalsOf(results.testResults)));
    if (folder) this.writeByProject(folder, JSON.parse(projects), results.testResults);
  }

  writeByProject(folder, projects, suites) {
    mkdirSync(folder, { recursive: true });
    const names = new Map(suites.map((suite) => [suite, ownerOf(this.fileOf(suite), projects)]));
    for (const name of new Set(names.values())) {
      const own = suites.filter((suite) => names.get(suite) === name);
      writeFileSync(join(folder, `${name}.json`), JSON.stringify(this.totalsOf(own)));
    }
  }

  totalsOf(suites) {
    const sum = (count) => suites.reduce((total, suite) => total + count(suite), 0);
    return {
      passed: sum(({ numPassingTests }) => numPassingTests),
      failed: sum(({ numFailingTests, testExecError }) => numFailingTests + (testExecError ? 1 : 0)),
      skipped: suites.flatMap((suite) => this.skippedIn(suite)),
    };
  }

  skippedIn(suite) {
    const titles = suite.testResults
      .filter(({ status }) => status === 'pending' || status === 'todo')
      .map(({ ancestorTitles, title }) => ancestorTitles[0] ?? title);
    return [...new Set(titles)].map((reason) => ({ file: this.fileOf(suite), reason }));
  }

  fileOf(suite) {
    return relative(this.rootDir, suite.testFilePath);
  }
};
