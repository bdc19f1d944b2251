// The command line of `npm run chaos`.
const scenes = ['zombie', 'outages', 'time', 'planted'];
const scene = `(${scenes.join('|')})`;

module.exports = /** @type {const} */ ({
  name: 'chaos',
  usage: 'npm run chaos --',
  summary:
    'Runs the whole platform as processes under load while its parts are killed, one is frozen past the start of its successor, the broker is wiped and answers of the provider are lost; observers around it write down what was stored, sent and answered, and the history checker judges that.',
  options: {
    seconds: { type: 'number', default: 30, text: 'how long outages go on' },
    minutes: { type: 'number', text: 'the same in minutes' },
    seed: { type: 'number', text: 'of load and outages (default: from the clock)' },
    clients: { type: 'number', max: 1_000, default: 6, text: 'clients that call at the same time' },
    scenes: {
      type: 'string',
      value: 'NAMES',
      default: scenes.join(','),
      form: {
        pattern: new RegExp(`^${scene}(,${scene})*$`),
        text: `names of ${scenes.join(', ')}, separated by commas`,
      },
      text: 'which scenes are played; a run without one of them claims less',
    },
    'port-base': {
      type: 'number',
      min: 1_024,
      max: 65_000,
      default: 14_000,
      text: 'base of the ports of the platform',
    },
    mutants: { type: 'boolean', text: 'prove that builds which break a law are caught' },
    only: { type: 'string', value: 'NAMES', text: 'with --mutants: these builds, separated by commas' },
  },
  examples: ['npm run chaos -- --minutes 10 --seed 7', 'npm run chaos -- --mutants --only eight-in-one'],
});
