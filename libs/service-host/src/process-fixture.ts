/** A minimal service for the test with real signals: keeps the process running and behaves as its environment says. */
import { z } from 'zod';
import { secret } from './environment';
import { runService } from './run-service';

const schema = z.object({
  AFTER_READY: z.enum(['nothing', 'reject', 'throw']).default('nothing'),
  CLOSE: z.enum(['orderly', 'never']).default('orderly'),
  API_SECRET: secret(z.string().min(8)),
});

void runService({
  name: 'fixture',
  schema,
  compose: async ({ config, log, open }) => {
    const alive = setInterval(() => undefined, 60_000);
    await open('timer', alive, (timer) => {
      log.info({}, 'closing the timer');
      clearInterval(timer);
      return config.CLOSE === 'never' ? new Promise(() => undefined) : undefined;
    });
    if (config.AFTER_READY === 'reject')
      setImmediate(() => void Promise.reject(new Error(`rejected with ${config.API_SECRET}`)));
    if (config.AFTER_READY === 'throw') {
      setImmediate(() => {
        throw new Error('thrown');
      });
    }
  },
});
