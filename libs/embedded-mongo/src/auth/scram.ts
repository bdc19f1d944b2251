/**
 * The server's side of SCRAM-SHA-256 (RFC 5802, RFC 7677). Stored credentials cannot be used to log in, a password
 * never reaches a log, and an unknown user costs as much as a wrong password.
 */
import { createHash, createHmac, pbkdf2Sync, randomBytes, timingSafeEqual } from 'node:crypto';
import { CommandError } from '../errors';

export interface Credentials {
  salt: Buffer;
  iterations: number;
  storedKey: Buffer;
  serverKey: Buffer;
}

const iterations = 15_000;

const hmac = (key: Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

/** Derives the stored credentials of a password. Passwords are limited to ASCII, where no string preparation is needed. */
export function deriveCredentials(password: string): Credentials {
  const salt = randomBytes(28);
  const salted = pbkdf2Sync(password, salt, iterations, 32, 'sha256');
  return {
    salt,
    iterations: iterations,
    storedKey: createHash('sha256').update(hmac(salted, 'Client Key')).digest(),
    serverKey: hmac(salted, 'Server Key'),
  };
}

export interface Conversation {
  user: string;
  /** The server's first message. */
  challenge: string;
  /** Checks the client's final message and returns the server's; throws code 18 when the proof is wrong. */
  finish(message: string): string;
}

const failed = (): CommandError => new CommandError(18, 'Authentication failed.');

const attribute = (message: string, name: string): string | undefined =>
  message
    .split(',')
    .find((part) => part.startsWith(`${name}=`))
    ?.slice(2);

/** Starts a conversation from the client's first message; `find` returns a user's credentials. */
export function startConversation(message: string, find: (user: string) => Credentials | undefined): Conversation {
  const header = /^(n|y),(a=[^,]*)?,/.exec(message);
  const bare = header ? message.slice(header[0].length) : '';
  const name = attribute(bare, 'n');
  const clientNonce = attribute(bare, 'r');
  if (!header || name === undefined || !clientNonce) throw failed();
  const user = name.replaceAll('=2C', ',').replaceAll('=3D', '=');
  const known = find(user);
  const credentials = known ?? {
    salt: randomBytes(28),
    iterations: iterations,
    storedKey: randomBytes(32),
    serverKey: randomBytes(32),
  };
  const nonce = clientNonce + randomBytes(24).toString('base64');
  const challenge = `r=${nonce},s=${credentials.salt.toString('base64')},i=${credentials.iterations}`;
  return {
    user,
    challenge,
    finish: (final) => {
      const proof = Buffer.from(attribute(final, 'p') ?? '', 'base64');
      const withoutProof = final.slice(0, final.lastIndexOf(',p='));
      const signed = `${bare},${challenge},${withoutProof}`;
      const right = attribute(final, 'r') === nonce && proof.length === 32 && isProof(credentials, signed, proof);
      if (!known || !right) throw failed();
      return `v=${hmac(credentials.serverKey, signed).toString('base64')}`;
    },
  };
}

function isProof(credentials: Credentials, signed: string, proof: Buffer): boolean {
  const signature = hmac(credentials.storedKey, signed);
  const clientKey = Buffer.from(proof.map((byte, index) => byte ^ (signature[index] as number)));
  return timingSafeEqual(createHash('sha256').update(clientKey).digest(), credentials.storedKey);
}
