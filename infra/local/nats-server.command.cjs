// The command line of `npm run nats`.
module.exports = /** @type {const} */ ({
  name: 'nats',
  usage: 'npm run nats --',
  summary: 'Runs one NATS server with JetStream on the loopback address until it is stopped, and prints `ready <url>`.',
  options: {
    port: { type: 'number', min: 0, max: 65_535, default: 4222, text: 'where it listens; 0 takes any free port' },
    data: { type: 'string', value: 'DIR', required: true, text: 'the folder for streams, configuration and log' },
    log: { type: 'string', value: 'FILE', text: 'the log file; without it, in the data folder' },
    'sync-always': { type: 'boolean', text: 'flush to disk before each acknowledgement, as in production' },
    users: { type: 'string', value: 'FILE', text: 'configuration lines with users and permissions' },
  },
  examples: ['npm run nats -- --port 7022 --data .local/nats'],
});
