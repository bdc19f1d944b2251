/** `npm run ops` for deliveries: reads and waivers off-line, with database credentials and without any effect. */
import { runOffline, type OfflineWork } from '@platform/durable/investigation';
import { verifyTrail } from '@platform/durable/trail';
import { opsCommandOf } from './cli/arguments';
import { runDeliveryCommand } from './cli/delivery-commands';
import command from './cli/ops.command.cjs';
import { waiverTrail } from './store/audit-blocks';
import { schemaSteps } from './store/schema-steps';

runOffline({
  command,
  database: 'lifecycle_delivery',
  schemaSteps,
  trails: { 'lifecycle-delivery': (store, expectedHash) => verifyTrail(waiverTrail(store), expectedHash) },
  ask: opsCommandOf,
  work: (asked, work: OfflineWork) => runDeliveryCommand(asked, work),
});
