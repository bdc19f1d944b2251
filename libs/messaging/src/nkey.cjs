// The keys with which consumer teams sign on (NKeys: Ed25519,
// https://docs.nats.io/running-a-nats-service/configuration/securing_nats/auth_intro/nkey_auth). The team keeps the
// seed and signs what the broker sends it; the broker knows only the public key. Plain JavaScript without packages,
// because the secrets of Compose are made on a fresh clone.
const { createPrivateKey, createPublicKey, randomBytes } = require('node:crypto');

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
/** First byte of an encoded user key, and of its seed. */
const userPrefix = 20 << 3;
const seedPrefix = 18 << 3;

/** CRC-16/XMODEM, which ends every encoded key, low byte first. */
function checksum(/** @type {Buffer} */ bytes) {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit += 1) crc = ((crc << 1) ^ (crc & 0x8000 ? 0x1021 : 0)) & 0xffff;
  }
  return crc;
}

/** RFC 4648 without padding, over the bytes followed by their checksum. */
function encode(/** @type {Buffer} */ bytes) {
  const crc = checksum(bytes);
  const bits = [...bytes, crc & 0xff, crc >> 8].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{1,5}/g) ?? []).map((five) => alphabet[Number.parseInt(five.padEnd(5, '0'), 2)]).join('');
}

/** The bytes of an encoded key; throws for any other text. */
function decode(/** @type {string} */ text) {
  const bits = [...text].map((letter) => alphabet.indexOf(letter).toString(2).padStart(5, '0')).join('');
  const bytes = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  const [content, crc] = [bytes.subarray(0, -2), bytes.subarray(-2)];
  if (!/^[A-Z2-7]+$/.test(text) || crc.length < 2 || crc.readUInt16LE() !== checksum(content))
    throw new Error('This is not an NKey: its characters or its checksum are wrong');
  return content;
}

/** The public key (`U…`) that belongs to the seed (`SU…`) of a user. Throws when the text is not such a seed. */
function publicKeyOf(/** @type {string} */ seed) {
  const content = decode(seed);
  if (content.length !== 34 || content[0] !== (seedPrefix | (userPrefix >> 5)) || content[1] !== (userPrefix & 31) << 3)
    throw new Error('This is no seed of a user: it begins with SU');
  const pkcs8 = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), content.subarray(2)]);
  const { x = '' } = createPublicKey(createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' })).export({
    format: 'jwk',
  });
  return encode(Buffer.concat([Buffer.from([userPrefix]), Buffer.from(x, 'base64url')]));
}

/** Creates a seed (`SU…`), from 32 random bytes unless they are given. */
function createSeed(/** @type {Buffer} */ raw = randomBytes(32)) {
  return encode(Buffer.concat([Buffer.from([seedPrefix | (userPrefix >> 5), (userPrefix & 31) << 3]), raw]));
}

/** Whether the text is the public key (`U…`) of a user. */
function isPublicKey(/** @type {string} */ text) {
  try {
    const content = decode(text);
    return content.length === 33 && content[0] === userPrefix;
  } catch {
    return false;
  }
}

const inCapitals = (/** @type {string} */ team) => team.toUpperCase().replaceAll('-', '_');

/** `NATS_KEYS_SEARCH_INDEX` for `search-index`: the variable of a team's users in `permissions.conf`. */
function keysVariable(/** @type {string} */ team) {
  return `NATS_KEYS_${inCapitals(team)}`;
}

/** The users of a team in the form of the broker's configuration, one for each valid key. */
function keysText(/** @type {readonly string[]} */ keys) {
  return `[${keys.map((key) => `{ nkey: "${key}" }`).join(', ')}]`;
}

/**
 * The public keys of a team in a text of such lines, newest first.
 * @returns {string[]}
 */
function readKeys(/** @type {string} */ text, /** @type {string} */ team) {
  const line = text.split('\n').find((each) => each.startsWith(`${keysVariable(team)}:`));
  return [...(line ?? '').matchAll(/nkey: "(\w+)"/g)].map(([, key = '']) => key);
}

/** The text with the team's line replaced, or added at its end. */
function withKeys(/** @type {string} */ text, /** @type {string} */ team, /** @type {readonly string[]} */ keys) {
  const others = text.split('\n').filter((line) => line !== '' && !line.startsWith(`${keysVariable(team)}:`));
  return [...others, `${keysVariable(team)}: ${keysText(keys)}`, ''].join('\n');
}

/** Name of the file that holds the seed of a team, among the secrets of Compose. */
const seedFile = (/** @type {string} */ team) => `nats_seed_${team.replaceAll('-', '_')}`;

module.exports = { createSeed, publicKeyOf, isPublicKey, keysVariable, keysText, readKeys, withKeys, seedFile };
