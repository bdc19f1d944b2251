/**
 * Prints the server's `accounts` block for the services and the consumer services given as arguments. Passwords and the
 * keys of teams are variables that the server's configuration defines elsewhere, so the output contains no secret.
 */
import { runCommand } from '@platform/command-line';
import { platformTopology } from '@platform/messaging';
import { consumerParty, opsParty, serviceParties } from './permissions';
import { asVariables, permissionsFile } from './permissions.file';

const command = {
  name: 'write-permissions',
  usage: 'npx esbuild infra/nats/write-permissions.ts --bundle --platform=node --packages=external | node -',
  summary:
    "Prints the broker's accounts and users for the services of the platform and for the named consumer services.",
  words: ['[consumer …]'],
  options: {},
} as const;

void runCommand(command, ({ words }) => {
  const parties = [...serviceParties, opsParty, ...words.map(consumerParty)];
  process.stdout.write(permissionsFile(parties, platformTopology(), asVariables));
});
