import { readEnvironment } from '@platform/service-host';
import { z } from 'zod';
import { providerVariables } from './environment';

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
