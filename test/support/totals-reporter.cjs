// Writes the totals of a run and what it skipped, for the closing line of `npm test`. A suite that could not run at
// all counts as one failure. Jest records no reason for a skip, so suites put it in the title.
const { writeFileSync } = require('node:fs');
const { relative } = require('node:path');

module.exports = class TotalsReporter {
  constructor(config) {
    this.rootDir = config.rootDir;
  }

  onRunComplete(_contexts, results) {
    const file = process.env.TEST_TOTALS_FILE;
    if (!file) return;
    writeFileSync(
      file,
      JSON.stringify({
        passed: results.numPassedTests,
        failed: results.numFailedTests + results.numRuntimeErrorTestSuites,
        skipped: results.testResults.flatMap((suite) => this.skippedIn(suite)),
      }),
    );
  }

  skippedIn(suite) {
    const file = relative(this.rootDir, suite.testFilePath);
    const titles = suite.testResults
      .filter(({ status }) => status === 'pending' || status === 'todo')
      .map(({ ancestorTitles, title }) => ancestorTitles[0] ?? title);
    return [...new Set(titles)].map((reason) => ({ file, reason }));
  }
};
