// Which suite holds each test and how long it takes, from the first run without a change. The processes of the tool
// that play the changes read it.
const { existsSync, readFileSync, writeFileSync } = require('node:fs');

/** A file of the run: the plugin of the tool and the processes of Jest find it by this variable. */
const file = () => process.env.MUTATION_SUITES;
let known;

/** Keeps the tests of a run: each with its suite (`fileName`) and milliseconds. */
function writeSuites(tests) {
  const ofTest = {};
  const msOfSuite = {};
  for (const { id, fileName, timeSpentMs } of tests) {
    (ofTest[id] ??= []).push(fileName);
    msOfSuite[fileName] = (msOfSuite[fileName] ?? 0) + timeSpentMs;
  }
  writeFileSync(file(), JSON.stringify({ ofTest, msOfSuite }));
}

/** What was kept: the suites of some tests, and the milliseconds of one suite; both are empty in the first run. */
function readSuites() {
  if (known === undefined && existsSync(file())) known = JSON.parse(readFileSync(file(), 'utf8'));
  return {
    of: (tests) => [...new Set(tests.flatMap((test) => known?.ofTest[test] ?? []))],
    msOf: (suite) => known?.msOfSuite[suite] ?? 0,
  };
}

module.exports = { readSuites, writeSuites };
