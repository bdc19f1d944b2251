// Measures the cost of each suite when TEST_CPU_FILE names a file: one line of JSON with the processor seconds of its
// worker (`own`) and of the child processes that have ended (`children`). Wall time is not comparable on a shared
// machine.
const { appendFileSync, readFileSync } = require('node:fs');

const ticksPerSecond = 100;

/** From the kernel's record of this process: user and system time, its own and that of children that have ended. */
function secondsSoFar() {
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1).split(' ').map(Number);
  const [user, system, childUser, childSystem] = fields.slice(11, 15);
  return { own: (user + system) / ticksPerSecond, children: (childUser + childSystem) / ticksPerSecond };
}

/** @returns {() => void} to be called when the suite has ended */
function measureSuite(file) {
  const target = process.env.TEST_CPU_FILE;
  if (!target) return () => undefined;
  const before = secondsSoFar();
  return () => {
    const after = secondsSoFar();
    const spent = (name) => Number((after[name] - before[name]).toFixed(2));
    appendFileSync(target, `${JSON.stringify({ file, own: spent('own'), children: spent('children') })}\n`);
  };
}

module.exports = { measureSuite };
