// The order of suites. Suites of whole platforms mostly wait, and suites of one process mostly compute, so mixing them
// keeps every worker and every core busy; consecutive platform suites would all wait at once. The platform suites are
// distributed over the first part of a run, so that the end of the run does not wait for one.
const { createRequire } = require('node:module');

const fromJest = createRequire(require.resolve('jest'));
const { default: Sequencer } = createRequire(fromJest.resolve('@jest/core'))('@jest/test-sequencer');

/** The number of platform suites that begin at once; one worker remains for the computing suites. */
const platformsAtFirst = 3;
/** The platform suites are distributed over this share of the other suites. */
const share = 0.4;

const isPlatform = ({ path }) => /\.e2e\.spec\.ts$/.test(path);
const startsServers = ({ path }) => /\.int\.spec\.ts$/.test(path);

/** The members of `some` at even distances among the first `within` of `others`. */
function deal(some, others, within) {
  const step = some.length === 0 ? within : within / some.length;
  const dealt = others.flatMap((test, at) => {
    const due = some.slice(Math.ceil(at / step), Math.ceil((at + 1) / step));
    return at < within ? [...due, test] : [test];
  });
  return [...dealt, ...some.filter((test) => !dealt.includes(test))];
}

module.exports = class PlatformsAmongOthers extends Sequencer {
  /** Within a kind the order is Jest's: by the suite's last duration, else by its size. */
  sort(tests) {
    const sorted = super.sort(tests);
    const platforms = sorted.filter(isPlatform);
    const others = sorted.filter((test) => !isPlatform(test));
    const working = [...others.filter(startsServers), ...others.filter((test) => !startsServers(test))];
    const first = platforms.slice(0, platformsAtFirst);
    return [...first, ...deal(platforms.slice(platformsAtFirst), working, Math.ceil(working.length * share))];
  }
};
