/**
 * Prints the server's `authorization` block for the services and the consumer services named as arguments. Passwords
 * stay in the server's environment: the output names the variables and is no secret.
 */
import { platformTopology } from '@platform/messaging';
import { consumerParty, passwordVariable, permissionsFile, serviceParties } from './permissions';

try {
  const parties = [...serviceParties, ...process.argv.slice(2).map(consumerParty)];
  process.stdout.write(permissionsFile(parties, platformTopology(), (user) => `$${passwordVariable(user)}`));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
