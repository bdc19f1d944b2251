// The command line of `npm run sim`.
module.exports = /** @type {const} */ ({
  name: 'sim',
  usage: 'npm run sim --',
  summary:
    'Plays histories of all services on deterministic models of store, broker and provider, one seed per history, and judges each by the history checker.',
  options: {
    histories: { type: 'number', text: 'how many (default 20000; 4000 for each of --mutants)' },
    minutes: { type: 'number', min: 0.01, fraction: true, text: 'for how long, instead of how many' },
    from: { type: 'number', default: 1, text: 'the first seed' },
    workers: { type: 'number', max: 256, text: 'threads (default: one per processor, 8 at most)' },
    seed: { type: 'number', text: 'replay this one history, and make it small when it fails' },
    stretched: {
      type: 'boolean',
      text: 'plays each history twice, the second time with each pause a thousandfold: the journals must be the same (default 200 pairs)',
    },
    processes: {
      type: 'boolean',
      text: "plays the services' own programs on a simulated machine and network (default 100 histories); with --seed: one of them; with --mutants: proves that broken compositions are caught",
    },
    beside: {
      type: 'string',
      value: 'COMMIT',
      text: 'with --processes: some of the processes run the programs of this commit, as in a rolling upgrade',
    },
    corpus: {
      type: 'boolean',
      text: 'replay every history that failed once, and those that showed a law-breaking build',
    },
    mutants: { type: 'boolean', text: 'prove that builds which break a law are caught' },
    suites: {
      type: 'boolean',
      text: 'prove that each such build fails the suite of tests that claims to judge it; with --mutants: each that no history shows',
    },
    lean: {
      type: 'boolean',
      text: 'with --mutants: a short control, and for each build the history that showed it before; with --corpus: only the histories that failed once',
    },
    'by-model': {
      type: 'boolean',
      text: 'with --mutants: only what the reference model refuses counts; shows which builds it detects alone',
    },
    starts: {
      type: 'number',
      max: 20,
      text: 'with --mutants: no remembered seeds; how many histories each build plays until it is caught, so many times',
    },
    only: {
      type: 'string',
      value: 'NAME',
      text: 'with --mutants, --suites or --stretched: these builds, separated by commas',
    },
  },
  examples: [
    'npm run sim -- --histories 20000',
    'npm run sim -- --seed 4711',
    'npm run sim -- --mutants',
    'npm run sim -- --processes',
    'npm run sim -- --processes --beside HEAD~20',
  ],
});
