// The order of suites. Those of whole platforms wait more than they work, those of one process only work: dealt out among
// each other, they keep every worker and every core busy, where platforms in a row would all wait at once. The platforms
// are dealt out first to last over the first part of a run, so that none of them is what the others wait for at its end.
const { createRequire } = require('node:module');

const fromJest = createRequire(require.resolve('jest'));
const { default: Sequencer } = createRequire(fromJest.resolve('@jest/core'))('@jest/test-sequencer');

/** Suites of whole platforms that begin at once; one worker is left to those that work. */
const platformsAtFirst = 3;
/** Of the other suites, the share among which the other platforms are dealt out. */
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
  /** Within a kind the order is Jest's: by the time that a suite took last, else by its size. */
  sort(tests) {
    const sorted = super.sort(tests);
    const platforms = sorted.filter(isPlatform);
    const others = sorted.filter((test) => !isPlatform(test));
    const working = [...others.filter(startsServers), ...others.filter((test) => !startsServers(test))];
    const first = platforms.slice(0, platformsAtFirst);
    return [...first, ...deal(platforms.slice(platformsAtFirst), working, Math.ceil(working.length * share))];
  }
};
