/** The addresses of a local platform's services that are attacked, and the tokens of every kind of caller. */
import { mintToken, roles, type Caller } from '@platform/http-server';
import { pagesAudience, tokenAudience, tokenIssuer, type LocalSettings } from '../../infra/local/settings';
import { readSigningKey } from '../../infra/local/token-key';
import type { PlatformAddresses } from '../support/platform';
import type { Target } from './attack-routes';

/** The attacked addresses; the gateway is first. */
export function targetsOf({ ports }: Pick<LocalSettings, 'ports'>): Target[] {
  const at = (port: number): string => `http://127.0.0.1:${port}`;
  return [
    { name: 'operator', url: at(ports.operator), probes: at(ports.operatorInner) },
    { name: 'billing-webhook', url: at(ports.billingWebhook), probes: at(ports.billingWebhookInner) },
    { name: 'query-builder', url: at(ports.queryBuilder), probes: at(ports.queryBuilderInner) },
  ];
}

/** The tokens of all callers: none, a forged one, every role, and an owner and a member of `own`. */
export async function tokensOf(localDir: string, own: string): Promise<string[]> {
  const signingKey = readSigningKey(localDir);
  const person: Caller = {
    subject: 'redteam',
    email: 'redteam@example.com',
    role: 'user',
    workspaces: {},
    permissions: [],
  };
  const callers: Caller[] = [
    ...roles.map((role) => ({ ...person, role })),
    { ...person, workspaces: { [own]: 'owner' } },
    { ...person, workspaces: { [own]: 'member' }, permissions: ['shop.orders.read', 'shop.customers.read'] },
  ];
  const minted = await Promise.all(
    callers.map((caller) =>
      mintToken({
        signingKey,
        issuer: tokenIssuer,
        audience: [tokenAudience, pagesAudience],
        lifetimeSeconds: 3_600,
        caller,
      }),
    ),
  );
  // Only callers with permission reach deep code, so these callers appear more often.
  const [owner = '', ...others] = [minted[roles.indexOf('platform_owner')], ...minted];
  return ['', 'forged.token.x', owner, owner, owner, ...others.map((each) => each ?? '')];
}

/**
 * A person at work during the flood: each call reads and then credits, with a separate token. Returns the worst status.
 * A request without an answer within `patienceMs` throws.
 */
export async function personAtWork(
  { gatewayUrl, token }: Pick<PlatformAddresses, 'gatewayUrl' | 'token'>,
  workspace: string,
  patienceMs = 10_000,
): Promise<() => Promise<number>> {
  const shown = await token({ role: 'platform_owner', email: 'at-work@example.com' });
  const headers = { authorization: `Bearer ${shown}`, 'content-type': 'application/json' };
  const address = `${gatewayUrl}/api/saas/workspaces/${workspace}`;
  let calls = 0;
  const call = async (path: string, init: RequestInit): Promise<number> => {
    const answer = await fetch(`${address}/${path}`, { headers, ...init, signal: AbortSignal.timeout(patienceMs) });
    await answer.arrayBuffer();
    return answer.status;
  };
  return async () => {
    const operationId = `redteam-credit-${Date.now()}-${(calls += 1)}`;
    const body = JSON.stringify({ operationId, amountCents: 1, reason: 'x' });
    return Math.max(await call('admin-state', {}), await call('balance-credit', { method: 'POST', body }));
  };
}
