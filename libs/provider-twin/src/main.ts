/** Starts the twin alone. Prints one line with its address and time when it serves. */
import { Misuse, runCommand } from '@platform/command-line';
import { startProviderTwin } from './index';
import command from './twin.command.cjs';

void runCommand(
  command,
  async ({ values: { port, host, seed, data } }) => {
    if (host !== undefined && process.env['NODE_ENV'] === 'production')
      throw new Misuse('--host is refused with NODE_ENV=production');
    const twin = await startProviderTwin({ port, host, seed, dataFile: data });
    const stop = (): void => {
      void twin.close().then(
        () => process.exit(0),
        () => process.exit(1),
      );
    };
    process.once('SIGTERM', stop);
    process.once('SIGINT', stop);
    process.stdout.write(`ready ${twin.url}\n`);
  },
  { exit: true },
);
