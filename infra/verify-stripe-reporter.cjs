// Prints each test of `npm run verify:stripe` as it ends, and how many passed.
module.exports = class {
  onTestCaseResult(_test, { title, status, duration, failureMessages }) {
    console.log(`${status === 'passed' ? '✓' : '✗'} ${title} (${((duration ?? 0) / 1_000).toFixed(1)} s)`);
    for (const message of failureMessages ?? []) console.log(message.split('\n').slice(0, 20).join('\n'));
  }

  onRunComplete(_contexts, { numPassedTests: held, numFailedTests: failed, testResults }) {
    for (const { testExecError } of testResults) if (testExecError) console.log(String(testExecError.message));
    console.log(`\n${held} expectations of the contract held, ${failed} did not`);
  }
};
