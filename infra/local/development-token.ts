/** Tokens for the local platform: signed with the key of its LOCAL_DIR, worthless anywhere else. */
import { mintToken, type Role } from '@platform/http-server';
import { pagesAudience, tokenAudience, tokenIssuer, type LocalSettings } from './settings';
import { readSigningKey } from './token-key';

export interface TokenRequest {
  readonly role: Role;
  readonly email?: string;
  readonly workspaces?: Readonly<Record<string, 'owner' | 'member'>>;
  readonly permissions?: readonly string[];
  readonly consumers?: readonly string[];
}

const defaultAddresses: Partial<Record<Role, string>> = {
  platform_owner: 'owner@platform.example',
  user: 'user@workspace.example',
};

const lifetimeSeconds = 30 * 24 * 3_600;

/** A token that is valid for thirty days. */
export function developmentToken(settings: Pick<LocalSettings, 'localDir'>, request: TokenRequest): Promise<string> {
  const email = request.email ?? defaultAddresses[request.role] ?? `${request.role}@platform.example`;
  return mintToken({
    signingKey: readSigningKey(settings.localDir),
    issuer: tokenIssuer,
    audience: [tokenAudience, pagesAudience],
    lifetimeSeconds,
    caller: {
      subject: email,
      email,
      role: request.role,
      workspaces: request.workspaces ?? {},
      permissions: request.permissions ?? [],
      ...(request.consumers && request.consumers.length > 0 && { consumers: request.consumers }),
    },
  });
}
