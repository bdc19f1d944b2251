import { readEnvironment } from '@platform/service-host';
import { z } from 'zod';
import { providerVariables, serviceVariables } from './environment';

describe('the secret key of the provider', () => {
  const read = (key: string) => readEnvironment(z.object(providerVariables), { STRIPE_SECRET_KEY: key });

  it.each(['sk_test_1\n', 'sk_test_1 ', ' ', 'sk_test_ä', '"sk_test_1" # ours'])(
    'refuses the start where no header carries it, and is not shown: %j',
    (key) => {
      const { ok, ...more } = read(key);
      expect(ok).toBe(false);
      expect(JSON.stringify(more)).not.toContain('sk_test');
    },
  );

  it('is any word of printable ASCII', () => {
    expect(read('rk_live_51A-b.c').ok).toBe(true);
  });
});

describe('the address of the database', () => {
  const { MONGODB_URL } = serviceVariables({ port: 1, serves: 'nothing', database: 'suite' });
  const read = (url: string) => readEnvironment(z.object({ MONGODB_URL }), { MONGODB_URL: url });

  it.each([
    'mongodb://ann:hidden@a:27017,b:27017,c:27017/suite?replicaSet=rs0&authSource=suite',
    'mongodb+srv://ann:hidden@db.example/suite',
    'mongodb://127.0.0.1',
  ])('is what the driver takes: %s', (url) => {
    expect(read(url)).toMatchObject({ ok: true, value: { MONGODB_URL: url } });
  });

  it.each([
    ['foo', /begins with mongodb/],
    ['mongodb://ann:hid%zzden@127.0.0.1/', /malformed/],
    ['mongodb://ann:hidden@127.0.0.1/?foo=bar', /foo is not supported/],
    ['mongodb://ann:hid:d/en@127.0.0.1/', /./],
  ])('refuses the start where the driver cannot read it, and shows no part of a password: %s', (url, problem) => {
    const { ok, ...more } = read(url);
    expect(ok).toBe(false);
    expect(more).toMatchObject({ error: [{ message: expect.stringMatching(problem) as string }] });
    expect(JSON.stringify(more)).not.toContain('hid');
  });
});
