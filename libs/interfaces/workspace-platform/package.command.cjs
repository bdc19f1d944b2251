// The command line of `npm run package`.
module.exports = /** @type {const} */ ({
  name: 'package',
  usage: 'npm run package --',
  summary:
    'Builds the package for consumer teams: CommonJS with declarations, README, changelog and licences, ready for npm pack or npm publish. Prints its folder.',
  options: {
    out: {
      type: 'string',
      value: 'DIR',
      text: 'where to (default: dist/packages/workspace-platform); what is there is replaced',
    },
  },
  examples: ['npm run -s package', 'npm pack "$(npm run -s package)"'],
});
