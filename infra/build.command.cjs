// The command line of `npm run build`.
module.exports = /** @type {const} */ ({
  name: 'build',
  usage: 'npm run build --',
  summary:
    'Bundles into dist/ what has changed since the last build. Without a name: every runnable entry and the console.',
  words: ['[entry …]'],
  options: {
    quiet: { type: 'boolean', text: 'print only what failed' },
    running: { type: 'boolean', text: 'without the programs of benchmarks, chaos and simulation' },
  },
  examples: ['npm run build', 'npm run build -- services/operator/src/main.ts'],
});
