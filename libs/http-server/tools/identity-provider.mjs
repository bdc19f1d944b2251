// The identity provider of tests: a certified one (`oidc-provider`), as a separate program. A person who signs in as
// `<name>@<group>` belongs to that group, or with a dot in it has that address; access tokens are signed, with the pages
// as audience. Argument: the address to which clients return. It prints its own address when it serves.
import { createServer } from 'node:http';
import { Provider } from 'oidc-provider';

const [redirectUrl] = process.argv.slice(2);
const server = createServer();
await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
const issuer = `http://127.0.0.1:${server.address().port}`;

const provider = new Provider(issuer, {
  clients: [
    {
      client_id: 'console',
      client_secret: 'the secret of the console in tests',
      redirect_uris: [redirectUrl],
      post_logout_redirect_uris: ['/console', '/account'].map((path) => new URL(path, redirectUrl).href),
      response_types: ['code'],
      grant_types: ['authorization_code'],
    },
  ],
  features: {
    resourceIndicators: {
      defaultResource: () => 'urn:workspace-pages',
      useGrantedResource: () => true,
      getResourceServerInfo: () => ({
        scope: '',
        audience: 'workspace-pages',
        accessTokenFormat: 'jwt',
        accessTokenTTL: 300,
        jwt: { sign: { alg: 'RS256' } },
      }),
    },
  },
  extraTokenClaims: (_context, { accountId }) => {
    const [name, group] = accountId.split('@');
    const role = group === 'owners' ? 'platform_owner' : 'user';
    return { email: `${name}@example.com`, role, workspaces: { acme: 'member' }, permissions: ['shop.orders.read'] };
  },
  pkce: { required: () => true },
  conformIdTokenClaims: false,
  claims: { openid: ['sub'], email: ['email', 'email_verified'], groups: ['groups'] },
  cookies: { keys: ['a key of tests'] },
  ttl: { Session: 600, Interaction: 600, Grant: 600, IdToken: 300, AccessToken: 300 },
  findAccount: (_context, id) => {
    const [name, group] = id.split('@');
    const email = group.includes('.') ? id : `${name}@example.com`;
    return { accountId: id, claims: () => ({ sub: id, email, email_verified: true, groups: [group] }) };
  },
});

server.on('request', provider.callback());
process.stdout.write(`${issuer}\n`);
process.stdin.on('end', () => process.exit()).resume();
