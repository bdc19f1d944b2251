// X.509 certificates for the connections of a deployment on one host, and for tests: an own authority and server
// certificates that it signs (RFC 5280; ECDSA on P-256). A company with a certificate authority uses that one instead.
import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

const dayMs = 86_400_000;

const der = (tag, ...parts) => {
  const body = Buffer.concat(parts);
  const bytes = [];
  for (let rest = body.length; rest > 0; rest >>= 8) bytes.unshift(rest & 0xff);
  const length = body.length < 0x80 ? [body.length] : [0x80 | bytes.length, ...bytes];
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
};
const sequence = (...parts) => der(0x30, ...parts);
const octets = (content) => der(0x04, content);
const bits = (content, unused = 0) => der(0x03, Buffer.from([unused]), content);
const flag = der(0x01, Buffer.from([0xff]));
/**
 * A positive INTEGER of these bytes in the shortest form, the only one that DER allows (X.690, 8.3.2): readers refuse a
 * certificate whose serial number begins with a byte that it does not need.
 * @param {Uint8Array} bytes
 */
export function integer(bytes) {
  const from = bytes.findIndex((byte) => byte !== 0);
  const digits = from < 0 ? Buffer.from([0]) : bytes.subarray(from);
  return der(0x02, digits[0] & 0x80 ? Buffer.concat([Buffer.from([0]), digits]) : digits);
}
const identifier = (text) => {
  const [first, second, ...rest] = text.split('.').map(Number);
  const bytes = rest.flatMap((arc) => {
    const septets = [arc & 0x7f];
    for (let left = arc >> 7; left > 0; left >>= 7) septets.unshift(0x80 | (left & 0x7f));
    return septets;
  });
  return der(0x06, Buffer.from([first * 40 + second, ...bytes]));
};
// GeneralizedTime, to the second.
const time = (at) => der(0x18, Buffer.from(`${at.toISOString().slice(0, 19).replace(/[-:T]/g, '')}Z`));
const named = (name) => sequence(der(0x31, sequence(identifier('2.5.4.3'), der(0x0c, Buffer.from(name)))));
const extension = (id, critical, content) => sequence(identifier(id), ...(critical ? [flag] : []), octets(content));
const ecdsaWithSha256 = sequence(identifier('1.2.840.10045.4.3.2'));
const pem = (label, bytes) =>
  `-----BEGIN ${label}-----\n${bytes
    .toString('base64')
    .match(/.{1,64}/g)
    .join('\n')}\n-----END ${label}-----\n`;

const digitalSignature = bits(Buffer.from([0x80]), 7);
const signsCertificates = bits(Buffer.from([0x06]), 1);
const serverAndClient = sequence(identifier('1.3.6.1.5.5.7.3.1'), identifier('1.3.6.1.5.5.7.3.2'));
const address = (host) =>
  /^\d+\.\d+\.\d+\.\d+$/.test(host)
    ? der(0x87, Buffer.from(host.split('.').map(Number)))
    : der(0x82, Buffer.from(host));

/** A certificate with these properties for a new key, signed by `issuer`, or self-signed without one. */
function issue({ name, extensions, days, issuer }) {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const key = publicKey.export({ type: 'spki', format: 'der' });
  // Valid from a little earlier, for clients whose clock is behind.
  const [from, to] = [new Date(Date.now() - 3_600_000), new Date(Date.now() + days * dayMs)];
  const keyId = createHash('sha1').update(key).digest();
  const facts = sequence(
    der(0xa0, integer(Buffer.from([2]))),
    integer(randomBytes(16)),
    ecdsaWithSha256,
    named(issuer?.name ?? name),
    sequence(time(from), time(to)),
    named(name),
    key,
    der(
      0xa3,
      sequence(
        ...extensions,
        extension('2.5.29.14', false, octets(keyId)),
        extension('2.5.29.35', false, sequence(der(0x80, issuer?.keyId ?? keyId))),
      ),
    ),
  );
  const signature = sign('sha256', facts, issuer?.privateKey ?? privateKey);
  const certificate = pem('CERTIFICATE', sequence(facts, ecdsaWithSha256, bits(signature)));
  return { name, keyId, privateKey, certificate, key: privateKey.export({ type: 'pkcs8', format: 'pem' }) };
}

/**
 * Creates a certificate authority; other parties trust its `certificate`.
 * @param {string} name
 * @param {number} [days]
 */
export function createAuthority(name, days = 3_650) {
  const own = issue({
    name,
    days,
    extensions: [extension('2.5.29.19', true, sequence(flag)), extension('2.5.29.15', true, signsCertificates)],
  });
  return {
    certificate: own.certificate,
    /**
     * A certificate that identifies a server with these host names and addresses, to clients and to other servers.
     * @param {readonly string[]} hosts
     * @param {number} [lifetimeDays]
     * @returns {{ certificate: string, key: string }}
     */
    issue(hosts, lifetimeDays = 825) {
      const { certificate, key } = issue({
        name: hosts[0],
        days: lifetimeDays,
        issuer: own,
        extensions: [
          extension('2.5.29.19', true, sequence()),
          extension('2.5.29.15', true, digitalSignature),
          extension('2.5.29.37', false, serverAndClient),
          extension('2.5.29.17', false, sequence(...hosts.map(address))),
        ],
      });
      return { certificate, key };
    },
  };
}
