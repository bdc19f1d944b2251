// The command line of `npm run twin`.
module.exports = /** @type {const} */ ({
  name: 'twin',
  usage: 'npm run twin --',
  summary: 'Runs the twin of the payment provider alone, and prints `ready <url>`.',
  options: {
    port: { type: 'number', min: 0, max: 65_535, default: 0, text: 'where it listens; 0 takes any free port' },
    host: { type: 'string', value: 'ADDRESS', text: 'the address to bind (default: 127.0.0.1); not in production' },
    seed: { type: 'string', value: 'SEED', text: 'what its ids are made from' },
    data: { type: 'string', value: 'FILE', text: 'its journal, which a later run reads; without it nothing is kept' },
  },
  examples: ['npm run twin -- --port 7090'],
});
