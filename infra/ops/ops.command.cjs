// The command line of `npm run ops`: the commands of all services as one. Each keeps its own table beside its program.
const tables = {
  operator: require('../../services/operator/src/cli/ops.command.cjs'),
  'billing-webhook': require('../../services/billing-webhook/src/cli/ops.command.cjs'),
  provisioning: require('../../services/provisioning/src/cli/ops.command.cjs'),
  'lifecycle-delivery': require('../../services/lifecycle-delivery/src/cli/ops.command.cjs'),
};
const { noBootOpen } = require('../../libs/durable/src/executors/options.cjs');
const joined = (part) =>
  Object.assign(
    {},
    ...Object.values(tables)
      .reverse()
      .map((table) => table[part]),
  );
const { operator } = tables;

module.exports = {
  ...operator,
  usage: process.env.OPS_COMMAND ?? operator.usage,
  summary:
    'Reads what is stopped and records how an investigation ended, off-line, in the databases named by MONGODB_URL or by MONGODB_URL_<SERVICE>, each also as a file (…_FILE); `npm run ops` names those of the local platform when the environment names none. It performs no effect, but for `setup stripe --apply`, which makes or changes the webhook endpoint at the provider. The case file of an operation also asks the provider (STRIPE_SECRET_KEY, STRIPE_API_BASE) and the broker (NATS_URL), and says which of them did not answer.',
  commands: { ...operator.commands, ...joined('commands') },
  options: { ...operator.options, ...joined('options') },
  /** These commands read no database, so they also run where there is none. */
  withoutDatabase: ['verify case', 'verify-report', 'signing-key', 'setup stripe'],
  /** The exit code of a service's program that the record does not concern; another one may have it. */
  noBootOpen,
  /** The commands of each service's program; a command of several services is run by each of them. */
  owned: Object.fromEntries(Object.entries(tables).map(([service, table]) => [service, Object.keys(table.commands)])),
};
