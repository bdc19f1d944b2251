/**
 * Ed25519 signatures over the canonical JSON of a document. The key pair is derived from one configured secret, so a
 * deployment keeps one secret; a verifier needs only the public key, and cannot sign with it.
 */
import { createHash, createPrivateKey, createPublicKey, sign, verify, type KeyObject } from 'node:crypto';
import { canonicalJson, sha256 } from './canonical-json';

interface Signature {
  readonly algorithm: 'Ed25519';
  /** Identifies the public key. */
  readonly keyId: string;
  /** Base64url. */
  readonly value: string;
}

export interface VerifyingKey {
  readonly keyId: string;
  /** The 32 bytes of the public key, base64url. */
  readonly publicKey: string;
  /** Whether this key signed exactly this document, by canonical JSON. */
  verifies(document: object, signature: Signature): boolean;
}

export interface SigningKey extends VerifyingKey {
  sign(document: object): Signature;
}

/** DER of a PKCS #8 Ed25519 key up to its 32 bytes (RFC 8410). */
const pkcs8Head = Buffer.from('302e020100300506032b657004220420', 'hex');

const bytesOf = (document: object): Buffer => Buffer.from(canonicalJson(document));

function verifying(key: KeyObject): VerifyingKey {
  const publicKey = key.export({ format: 'jwk' }).x!;
  const keyId = sha256(`ed25519:${publicKey}`).slice(0, 16);
  return {
    keyId,
    publicKey,
    verifies: (document, { algorithm, keyId: named, value }) =>
      algorithm === 'Ed25519' &&
      named === keyId &&
      verify(null, bytesOf(document), key, Buffer.from(value, 'base64url')),
  };
}

/** `secret`: of sufficient entropy, at least 32 characters; the same secret gives the same pair. */
export function signingKeyOf(secret: string): SigningKey {
  const seed = createHash('sha256').update(`ed25519 key of ${secret}`).digest();
  const key = createPrivateKey({ key: Buffer.concat([pkcs8Head, seed]), format: 'der', type: 'pkcs8' });
  const known = verifying(createPublicKey(key));
  return {
    ...known,
    sign: (document) => ({
      algorithm: 'Ed25519',
      keyId: known.keyId,
      value: sign(null, bytesOf(document), key).toString('base64url'),
    }),
  };
}

/** Throws TypeError for a text that is not a public key. */
export function verifyingKeyOf(publicKey: string): VerifyingKey {
  try {
    return verifying(createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: publicKey }, format: 'jwk' }));
  } catch {
    throw new TypeError('an Ed25519 public key has 32 bytes in base64url');
  }
}
