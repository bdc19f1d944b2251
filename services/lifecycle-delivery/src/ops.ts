/** `npm run ops -- migrate` for the delivery's database; it has no investigations of its own. */
import { runOffline } from '@platform/durable/investigation';
import command from './cli/ops.command.cjs';
import { schemaSteps } from './store/schema-steps';

runOffline({ command, database: 'lifecycle_delivery', schemaSteps, ask: () => null });
