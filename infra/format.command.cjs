// The command line of `npm run format`.
module.exports = /** @type {const} */ ({
  name: 'format',
  usage: 'npm run format --',
  summary: 'Formats the repository, or the paths that are named, with Prettier.',
  words: ['[path …]'],
  options: { check: { type: 'boolean', text: 'change nothing, and name what differs' } },
  examples: ['npm run format', 'npm run format -- services/operator', 'npm run format:check'],
});
