import { readEnvironment, summariseConfiguration } from '@platform/service-host';
import { configSchema } from './config';

const environment = {
  MONGODB_URL: 'mongodb://root:hunter2hunter2@127.0.0.1:27017/',
  NATS_URL: 'nats://127.0.0.1:4222',
  PLATFORM_MODE: 'local',
};
const problems = (over: Record<string, string>) => {
  const read = readEnvironment(configSchema, { ...environment, ...over });
  return read.ok ? [] : read.error.map(({ variable, message }) => `${variable} ${message}`);
};

describe('the environment of lifecycle delivery', () => {
  it('has defaults for the local platform and none for what is secret', () => {
    expect(readEnvironment(configSchema, environment)).toMatchObject({
      ok: true,
      value: { PORT: 7040, HOST: '127.0.0.1', MONGODB_DATABASE: 'lifecycle_delivery' },
    });
    expect(problems({ MONGODB_URL: '', NATS_URL: '' })).toEqual([
      expect.stringContaining('MONGODB_URL is not set'),
      expect.stringContaining('NATS_URL is not set'),
    ]);
  });

  it('takes broker user and password together, and demands them in production', () => {
    expect(problems({ NATS_USER: 'lifecycle-delivery' })).toEqual([expect.stringContaining('NATS_PASSWORD')]);
    expect(problems({ NATS_USER: 'lifecycle-delivery', NATS_PASSWORD: 'secret-of-the-broker' })).toEqual([]);
    expect(problems({ PLATFORM_MODE: 'production' })).toEqual([expect.stringContaining('NATS_USER')]);
    expect(problems({ PLATFORM_MODE: 'staging' })).toEqual([expect.stringContaining('PLATFORM_MODE')]);
  });

  it('shows no secret in its summary', () => {
    const read = readEnvironment(configSchema, {
      ...environment,
      NATS_USER: 'lifecycle-delivery',
      NATS_PASSWORD: 'secret-of-the-broker',
    });
    if (!read.ok) throw new Error('the environment is right');
    const shown = JSON.stringify(summariseConfiguration(configSchema, read.value));
    expect(shown).toContain('"NATS_PASSWORD":"[set]"');
    expect(shown).not.toMatch(/hunter2|secret-of/);
  });
});
