/** `npm run -s token -- --role …`: prints a token and nothing else, so that a shell can use the output directly. */
import { Misuse, runCommand } from '@platform/command-line';
import { developmentToken } from './development-token';
import { findRoot, readSettings } from './settings';
import command from './token.command.cjs';

function readWorkspace(text: string): [string, 'owner' | 'member'] {
  const [tenantId, part, ...rest] = text.split(':');
  if (tenantId && rest.length === 0 && (part === 'owner' || part === 'member')) return [tenantId, part];
  throw new Misuse(`--workspace is ID:owner or ID:member, not ${text}`);
}

void runCommand(command, async ({ values: { role, email, workspace, permission, consumer } }) => {
  const workspaces = Object.fromEntries(workspace.map(readWorkspace));
  const token = await developmentToken(readSettings(process.env, findRoot()), {
    role,
    workspaces,
    permissions: permission,
    consumers: consumer,
    ...(email ? { email } : {}),
  });
  process.stdout.write(`${token}\n`);
});
