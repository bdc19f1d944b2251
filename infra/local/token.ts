/** `npm run -s token -- --role …`: prints a token and nothing else, so that a shell can use the output directly. */
import { Misuse, runCommand } from '@platform/command-line';
import { developmentToken } from './development-token';
import { findRoot, readSettings } from './settings';
import command from './token.command.cjs';

/** The form of each is checked before. */
function partsOf(texts: readonly string[]): Record<string, 'owner' | 'member'> {
  const parts = texts.map((text) => text.split(':') as [string, 'owner' | 'member']);
  const twice = parts.find(([id], at) => parts.findIndex(([other]) => other === id) < at);
  if (twice) throw new Misuse(`--workspace names ${twice[0]} twice`);
  return Object.fromEntries(parts);
}

void runCommand(command, async ({ values: { role, email, workspace, permission, consumer } }) => {
  const token = await developmentToken(readSettings(process.env, findRoot()), {
    role,
    workspaces: partsOf(workspace),
    permissions: permission,
    consumers: consumer,
    ...(email !== undefined && { email }),
  });
  process.stdout.write(`${token}\n`);
});
