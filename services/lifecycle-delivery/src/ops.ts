/** `npm run ops -- migrate` for the delivery's database; it has no investigations of its own. */
import { runCommand } from '@platform/command-line';
import { runSchemaCommand } from '@platform/mongo';
import command from './cli/ops.command.cjs';
import { schemaSteps } from './store/schema-steps';

void runCommand(command, ({ values }) =>
  runSchemaCommand({
    database: process.env['MONGODB_DATABASE'] ?? 'lifecycle_delivery',
    schemaSteps,
    apply: values.apply,
    url: process.env['MONGODB_URL'] ?? `mongodb://127.0.0.1:${Number(process.env['PORT_BASE'] ?? 7000) + 17}`,
    say: (line) => void process.stdout.write(`${line}\n`),
  }),
);
