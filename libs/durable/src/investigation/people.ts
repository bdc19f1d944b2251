/**
 * Who answers for a resolution: the person of a token that the platform's verifier accepts. Only on the local platform
 * an address is enough; a development token is created for it and verified like any other.
 */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Misuse } from '@platform/command-line';
import {
  authenticatorOf,
  mintToken,
  newSigningKey,
  publicKeySet,
  tokenKeysByTls,
  type Authenticator,
} from '@platform/http-server';
import type { Person } from './signed-proposal';

type Environment = Readonly<Record<string, string | undefined>>;

export interface Claimed {
  /** E-mail address that was given. */
  readonly email: string | undefined;
  /** File with a token. */
  readonly tokenFile: string | undefined;
}

const defaults = { issuer: 'workspace-platform', audience: 'workspace-platform' };

/**
 * Null when the environment names no keys. Throws `Misuse` for keys or a list of revoked tokens that cannot be read, and
 * for keys that a deployment would read without TLS.
 */
function verification(environment: Environment, local: boolean): Authenticator | null {
  const { JWT_PUBLIC_KEYS, JWKS_URL, TOKENS_REVOKED_FILE } = environment;
  if (!JWT_PUBLIC_KEYS && !JWKS_URL) return null;
  const [hasTls, { message }] = tokenKeysByTls;
  if (!hasTls({ JWKS_URL, PLATFORM_MODE: local ? 'local' : 'production' })) throw new Misuse(`JWKS_URL: ${message}`);
  try {
    return authenticatorOf({ ...namesOf(environment), JWT_PUBLIC_KEYS, JWKS_URL, TOKENS_REVOKED_FILE });
  } catch (error) {
    throw new Misuse(`tokens cannot be verified here: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function namesOf({ JWT_ISSUER = defaults.issuer, JWT_AUDIENCE = defaults.audience }: Environment) {
  return { JWT_ISSUER, JWT_AUDIENCE };
}

/** The person as the token names them. */
export interface People {
  /** Throws `Misuse` when no token proves the claim: the missing option, or what is wrong with the token. */
  personOf(claimed: Claimed, option: string): Promise<Person>;
}

/** An empty text counts as unset, as for a service: a deployment sets variables that it leaves empty. */
const withoutEmpty = (environment: Environment): Environment =>
  Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));

/** `isLocal`: whether development identities are valid here. */
export function openPeople(isLocal: () => Promise<boolean>, given: Environment = process.env): People {
  const environment = withoutEmpty(given);
  const read = (file: string): string => {
    try {
      return readFileSync(resolve(environment['INIT_CWD'] ?? '.', file), 'utf8').trim();
    } catch {
      throw new Misuse(`${file} cannot be read as a token`);
    }
  };
  return {
    async personOf({ email, tokenFile }, option) {
      const local = await isLocal();
      if (tokenFile === undefined && !local)
        throw new Misuse(`${option} is missing: who answers for this is known by a token, not by an address`);
      if (tokenFile === undefined && !/^[^\s@]+@[^\s@]+$/.test(email ?? ''))
        throw new Misuse(`say who answers for it: ${option}, or on the local platform an e-mail address`);
      // An address without a token gets one, signed with a key that exists only for this command.
      const signingKey = newSigningKey();
      const own = { ...namesOf(environment), JWT_PUBLIC_KEYS: publicKeySet(signingKey) };
      const authenticator = tokenFile === undefined ? authenticatorOf(own) : verification(environment, local);
      if (!authenticator) throw new Misuse('tokens cannot be verified here: set JWT_PUBLIC_KEYS or JWKS_URL');
      const token = tokenFile === undefined ? await developmentToken(email!, own, signingKey) : read(tokenFile);
      const verified = await authenticator.verify(token);
      if (verified.verdict !== 'valid' && tokenFile === undefined) throw new Misuse(`${email} is no e-mail address`);
      if (verified.verdict !== 'valid') throw new Misuse(`the token of ${option} is ${words[verified.verdict]}`);
      const { email: proven, role, subject: id } = verified.caller;
      if (role !== 'platform_owner' && !(role === 'approver' && option === '--approval-token-file'))
        throw new Misuse(`the token of ${option} is of no platform owner`);
      if (proven === undefined) throw new Misuse(`the token of ${option} names no e-mail address`);
      if (email !== undefined && email.toLowerCase() !== proven.toLowerCase())
        throw new Misuse(`the token of ${option} is of ${proven}, not of ${email}`);
      return { id, email: proven };
    },
  };
}

const words = {
  expired: 'expired',
  not_yet_valid: 'not valid yet: the clock of this machine is behind, or that of the issuer is ahead',
  invalid: 'invalid',
  undecided: 'undecided',
} as const;

function developmentToken(
  email: string,
  { JWT_ISSUER: issuer, JWT_AUDIENCE: audience }: ReturnType<typeof namesOf>,
  signingKey: string,
): Promise<string> {
  return mintToken({
    signingKey,
    issuer,
    audience,
    lifetimeSeconds: 60,
    caller: { subject: email, email, role: 'platform_owner', workspaces: {}, permissions: [] },
  });
}
