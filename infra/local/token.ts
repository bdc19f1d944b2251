/** `npm run -s token -- --role platform_owner|user [--workspace ID:owner]… [--permission P]… [--email E]`: a token and nothing else. */
import { parseArgs } from 'node:util';
import { developmentToken } from './development-token';
import { findRoot, readSettings } from './settings';

const usage =
  'usage: npm run -s token -- --role platform_owner|user [--workspace ID:owner|ID:member]… [--permission P]… [--email E]';

function readRole(text: string | undefined): 'platform_owner' | 'user' {
  if (text === 'platform_owner' || text === 'user') return text;
  throw new Error(`--role must be platform_owner or user\n${usage}`);
}

function readWorkspace(text: string): [string, 'owner' | 'member'] {
  const [tenantId, part, ...rest] = text.split(':');
  if (tenantId && rest.length === 0 && (part === 'owner' || part === 'member')) return [tenantId, part];
  throw new Error(`--workspace must be ID:owner or ID:member, not ${text}\n${usage}`);
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      role: { type: 'string' },
      email: { type: 'string' },
      workspace: { type: 'string', multiple: true, default: [] },
      permission: { type: 'string', multiple: true, default: [] },
    },
  });
  const role = readRole(values.role);
  const workspaces = Object.fromEntries(values.workspace.map(readWorkspace));
  const token = await developmentToken(readSettings(process.env, findRoot()), {
    role,
    workspaces,
    permissions: values.permission,
    ...(values.email ? { email: values.email } : {}),
  });
  process.stdout.write(`${token}\n`);
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
