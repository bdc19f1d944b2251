import { signingKeyOf, verifyingKeyOf } from './signing';

const secret = 'a secret of a deployment, long enough for a key';
const document = { format: 'test.v1', amounts: [1, 2], who: { email: 'ann@example.com' } };

describe('a signed document', () => {
  const key = signingKeyOf(secret);
  const signature = key.sign(document);

  it('is verified by the public key alone, in whatever order its members are', () => {
    const reader = verifyingKeyOf(key.publicKey);
    const { format, amounts, who } = document;
    expect(reader.verifies({ who, amounts, format }, signature)).toBe(true);
    expect(reader.keyId).toBe(signature.keyId);
    expect(reader).not.toHaveProperty('sign');
  });

  it.each<[string, object]>([
    ['a changed value', { ...document, amounts: [1, 3] }],
    ['a further member', { ...document, more: true }],
    ['a missing member', { format: document.format }],
  ])('is not verified with %s', (_what, changed) => {
    expect(key.verifies(changed, signature)).toBe(false);
  });

  it('is not verified under another key, another name of a key or another signature', () => {
    expect(signingKeyOf(`${secret}!`).verifies(document, signature)).toBe(false);
    expect(key.verifies(document, { ...signature, keyId: 'another' })).toBe(false);
    expect(key.verifies(document, { ...signature, value: key.sign({}).value })).toBe(false);
    expect(key.verifies(document, { ...signature, value: '' })).toBe(false);
  });

  it('has the same pair of keys for the same secret', () => {
    expect(signingKeyOf(secret).publicKey).toBe(key.publicKey);
    expect(() => verifyingKeyOf('short')).toThrow(TypeError);
  });
});
