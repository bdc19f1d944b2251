// The command line of `npm run ops`: the commands of all services as one. Each keeps its own table beside its program.
const tables = [
  require('../../services/operator/src/cli/ops.command.cjs'),
  require('../../services/billing-webhook/src/cli/ops.command.cjs'),
  require('../../services/provisioning/src/cli/ops.command.cjs'),
];
const joined = (part) => Object.assign({}, ...[...tables].reverse().map((table) => table[part]));
const [first] = tables;

module.exports = {
  ...first,
  summary:
    'Reads what is stopped and records how an investigation ended, off-line: in the databases named by MONGODB_URL, without it in those of the local platform. It performs no effect. The case file of an operation also asks the provider (STRIPE_SECRET_KEY, STRIPE_API_BASE) and the broker (NATS_URL), and says which of them did not answer.',
  commands: { ...first.commands, ...joined('commands') },
  options: { ...first.options, ...joined('options') },
};
