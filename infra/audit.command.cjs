// The command line of `npm run audit`.
module.exports = /** @type {const} */ ({
  name: 'audit',
  usage: 'npm run audit --',
  summary:
    'Asks the registry which known weaknesses the packages that ship have. Weaknesses of high or critical weight count as failed.',
  options: {},
  negative: 'the registry did not answer the question, so that nothing is known',
});
