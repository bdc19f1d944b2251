// The command line of `npm run proof`.
module.exports = /** @type {const} */ ({
  name: 'proof',
  usage: 'npm run proof --',
  summary:
    'Runs what `npm test` runs with the full form of the long proofs: more seeds, rows, rounds and pairs of faults. It takes an hour or more. With words: the suites that they choose.',
  words: ['[path …]'],
  options: {},
  examples: ['npm run proof', 'npm run proof -- services/operator'],
});
