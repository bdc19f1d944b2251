// The command line of `npm run audit`.
module.exports = /** @type {const} */ ({
  name: 'audit',
  usage: 'npm run audit --',
  summary:
    'Asks the registry for known vulnerabilities of the shipped packages. A high or critical one counts as a failure.',
  options: {},
  negative: 'the registry did not answer the question, so that nothing is known',
});
