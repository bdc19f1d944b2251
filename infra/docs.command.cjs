// The command line of `npm run docs`.
module.exports = /** @type {const} */ ({
  name: 'docs',
  usage: 'npm run docs --',
  summary:
    'Builds the documentation site into .local/docs and serves it on this machine, with search, until Ctrl-C. A link that leads nowhere ends the build with 1.',
  options: {
    build: { type: 'boolean', text: 'build it and end' },
    port: { type: 'number', min: 1, max: 65535, text: 'where it is served (default: PORT_BASE + 60, which is 7060)' },
    watch: { type: 'boolean', text: 'show changes of pages at once, without the search' },
  },
  examples: ['npm run docs', 'npm run docs -- --build'],
});
