// The command line of `npm run chaos:migration`.
module.exports = /** @type {const} */ ({
  name: 'chaos:migration',
  usage: 'npm run chaos:migration --',
  summary:
    'Runs a plan migration whose gateway is killed every few seconds, investigates what each kill left, and compares lists, outcomes and the ledger of the provider at the end.',
  options: {
    workspaces: { type: 'number', default: 400, text: 'on the plan that is migrated' },
    rate: { type: 'number', default: 60, text: 'changes per second at the provider' },
    'min-seconds': { type: 'number', default: 3, text: 'shortest time to a kill' },
    'max-seconds': { type: 'number', default: 6, text: 'longest time to a kill' },
    seed: { type: 'number', text: 'of the kills (default: from the clock)' },
  },
  examples: ['npm run chaos:migration -- --workspaces 10000 --rate 60 --min-seconds 5 --max-seconds 10'],
});
