// The command line of `npm run chaos`.
module.exports = /** @type {const} */ ({
  name: 'chaos',
  usage: 'npm run chaos --',
  summary:
    'Runs the whole platform as processes under load while its parts are killed, one is frozen past the start of its successor, the broker is wiped and answers of the provider are lost; then the history checker reads what is left.',
  options: {
    seconds: { type: 'number', default: 30, text: 'how long outages go on' },
    minutes: { type: 'number', text: 'the same in minutes' },
    seed: { type: 'number', text: 'of load and outages (default: from the clock)' },
    clients: { type: 'number', max: 1_000, default: 6, text: 'clients that call at the same time' },
  },
  examples: ['npm run chaos -- --minutes 10 --seed 7'],
});
