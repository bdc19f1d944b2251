// The command line of `npm run proof`.
module.exports = /** @type {const} */ ({
  name: 'proof',
  usage: 'npm run proof --',
  summary:
    'Runs what `npm test` runs with the full form of the long proofs: more seeds, rows, rounds and pairs of faults. It takes an hour or more. With words: the suites that they choose. With --hours: every proof of the repository for so long (these suites, histories, law-breaking builds, chaos, red team, containers, mutations), with one page of results. The same command goes on where an earlier run of the same commit has ended.',
  words: ['[path …]'],
  options: {
    hours: { type: 'number', min: 0.01, max: 1_000, fraction: true, text: 'play all proofs for so long' },
    only: { type: 'string', value: 'NAMES', text: 'with --hours: these proofs, separated by commas' },
    list: { type: 'boolean', text: 'what the proofs are called, what each shows, and what this commit has played' },
  },
  negative: 'nothing failed, and not every proof has been played',
  examples: [
    'npm run proof',
    'npm run proof -- services/operator',
    'npm run proof -- --hours 8',
    'npm run proof -- --hours 1 --only simulation,chaos',
  ],
});
