import { z } from 'zod';
import { readEnvironment, secret, secretTexts, summariseConfiguration } from './environment';

const schema = z.object({
  PORT: z.coerce.number().int().default(7010),
  STORE_URL: z.url(),
  KEY: secret(z.string().min(8)),
  OLD_KEYS: secret(z.string().transform((text) => text.split(','))).optional(),
  MODE: z.enum(['local', 'production']).default('local'),
});

describe('the environment', () => {
  it('is read into a frozen configuration; an empty text counts as unset', () => {
    const read = readEnvironment(schema, { PORT: '', STORE_URL: 'http://h/', KEY: 'canary-1', OTHER: 'ignored' });
    expect(read).toEqual({ ok: true, value: { PORT: 7010, STORE_URL: 'http://h/', KEY: 'canary-1', MODE: 'local' } });
    expect(read.ok && Object.isFrozen(read.value)).toBe(true);
  });

  it('freezes nested values too', () => {
    const read = readEnvironment(schema, { STORE_URL: 'http://h/', KEY: 'canary-1', OLD_KEYS: 'a,b' });
    expect(read.ok && Object.isFrozen(read.value.OLD_KEYS)).toBe(true);
  });

  it('lists every variable that is wrong, without its value', () => {
    const read = readEnvironment(schema, { PORT: 'many', KEY: 'canary', MODE: 'canary' });
    expect(read.ok).toBe(false);
    const errors = read.ok ? [] : read.error;
    expect(errors.map(({ variable }) => variable).sort()).toEqual(['KEY', 'MODE', 'PORT', 'STORE_URL']);
    expect(errors.find(({ variable }) => variable === 'STORE_URL')?.message).toBe('is not set');
    expect(JSON.stringify(errors)).not.toContain('canary');
  });

  it('is summarised without secrets, also behind optional, default and transform', () => {
    const config = { PORT: 1, STORE_URL: 'http://u:canary@h/', KEY: 'canary-1', OLD_KEYS: ['canary-2'], MODE: 'local' };
    expect(summariseConfiguration(schema, config)).toEqual({
      PORT: 1,
      STORE_URL: 'http://[redacted]@h/',
      KEY: '[set]',
      OLD_KEYS: '[set]',
      MODE: 'local',
    });
    expect(summariseConfiguration(schema, {})['OLD_KEYS']).toBe('[not set]');
  });

  it.each([
    ['a description', secret(z.string()).describe('its meaning')],
    ['a default and a description', secret(z.string()).optional().describe('its meaning')],
    ['a refinement', secret(z.string()).refine((text) => text.length > 0)],
    ['a limit', secret(z.string()).min(2)],
  ])('keeps the mark of a secret behind %s', (_what, member) => {
    const described = z.object({ MEMBER: member });
    expect(summariseConfiguration(described, { MEMBER: 'canary' })).toEqual({ MEMBER: '[set]' });
    expect(secretTexts(described, { MEMBER: 'canary' })).toEqual(['canary']);
  });

  it('tells the log its secret texts, with the passwords of URLs', () => {
    const config = {
      STORE_URL: 'mongodb://u:p%40ss@h/',
      KEY: 'canary-1',
      OLD_KEYS: ['canary-2', 'nats://u:pass@h'],
      MODE: 'local',
    };
    expect(secretTexts(schema, config)).toEqual([
      'p%40ss',
      'p@ss',
      'canary-1',
      'canary-2',
      'nats://u:pass@h',
      'pass',
      'pass',
    ]);
  });
});
