/** Tokens for the local platform: signed with the secret of its LOCAL_DIR, worthless anywhere else. */
import { mintToken } from '@platform/http-server';
import { tokenAudience, tokenIssuer, type LocalSettings } from './settings';

export interface TokenRequest {
  readonly role: 'platform_owner' | 'user';
  readonly email?: string;
  readonly workspaces?: Readonly<Record<string, 'owner' | 'member'>>;
  readonly permissions?: readonly string[];
}

const lifetimeSeconds = 30 * 24 * 3_600;

/** A token that is valid for thirty days. */
export function developmentToken(settings: Pick<LocalSettings, 'secrets'>, request: TokenRequest): Promise<string> {
  const email =
    request.email ?? (request.role === 'platform_owner' ? 'owner@platform.example' : 'user@workspace.example');
  return mintToken({
    secret: settings.secrets.jwtSecret,
    issuer: tokenIssuer,
    audience: tokenAudience,
    lifetimeSeconds,
    caller: {
      subject: email,
      email,
      role: request.role,
      workspaces: request.workspaces ?? {},
      permissions: request.permissions ?? [],
    },
  });
}
