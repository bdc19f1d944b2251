import { cardTrialKey, emailIdentity, emailTrialKey, rateKey } from './identity';

describe('the identity behind an e-mail address', () => {
  it.each([
    ['Ada@Example.com', 'ada@example.com'],
    [' ada@example.com ', 'ada@example.com'],
    ['ada+trial@example.com', 'ada@example.com'],
    ['ada+a+b@example.com', 'ada@example.com'],
    ['a.da@gmail.com', 'ada@gmail.com'],
    ['A.D.A+x@GoogleMail.com', 'ada@gmail.com'],
    ['ada@bücher.example', 'ada@xn--bcher-kva.example'],
    ['ada@example.com.', 'ada@example.com'],
    ['ada@example.com..', 'ada@example.com'],
    ['ada@no host', 'ada@no host'],
    ['ａｄａ@example.com', 'ada@example.com'],
  ])('of %s is %s', (email, identity) => {
    expect(emailIdentity(email)).toBe(identity);
  });

  it('keeps apart what other providers keep apart', () => {
    expect(emailIdentity('a.da@example.com')).not.toBe(emailIdentity('ada@example.com'));
    expect(emailIdentity('+ada@example.com')).toBe('+ada@example.com');
  });

  it('is kept as a digest that never meets the one of a card', () => {
    expect(emailTrialKey('ada@example.com')).toMatch(/^[0-9a-f]{64}$/);
    expect(cardTrialKey('ada@example.com')).not.toBe(emailTrialKey('ada@example.com'));
  });
});

describe('the window of creations', () => {
  it('is that of one person, kept as a digest', () => {
    expect(rateKey('user-1')).toMatch(/^[0-9a-f]{64}$/);
    expect(rateKey('user-1')).not.toBe(rateKey('user-2'));
  });
});
