// Starts the twin alone. Prints one line when it serves, so that whoever started it knows where and when.
import { runCommand } from '@platform/command-line';
import { startProviderTwin } from './index';
import command from './twin.command.cjs';

void runCommand(
  command,
  async ({ values: { port, seed, data } }) => {
    const twin = await startProviderTwin({ port, seed, dataFile: data });
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
