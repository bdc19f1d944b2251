// The command line of `npm run mutation`.
module.exports = /** @type {const} */ ({
  name: 'mutation',
  usage: 'npm run mutation --',
  summary:
    'Changes one expression of the core at a time and plays the unit tests of its project: a change that no test notices is a survivor. Survivors with a reason are listed in test/mutation/survivors.json; any other one fails the run.',
  options: {
    only: {
      type: 'string',
      value: 'FOLDERS',
      text: 'these folders or files, separated by commas (default: every folder of the core)',
    },
    sweeps: { type: 'boolean', text: 'plays crash sweeps too, for changes that only a crash at one place shows' },
    incremental: {
      type: 'boolean',
      text: 'plays only what the last report of the folder does not settle; no score can be written from it',
    },
    workers: { type: 'number', max: 64, default: 2, text: 'processes that play tests' },
    write: { type: 'boolean', text: 'writes the score of each folder into docs/verification-tables.md' },
  },
  examples: [
    'npm run mutation -- --only services/operator/src/operations/domain',
    'npm run mutation -- --only libs/durable/src/record/write-fenced.ts --sweeps',
    'npm run mutation -- --only services/operator/src/mirror --incremental',
  ],
});
