// Starts the twin alone: `npm run twin -- --port N [--seed S] [--data FILE]`. Prints one line when it serves.
import { parseArgs } from 'node:util';
import { startProviderTwin } from './index';

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { port: { type: 'string', default: '0' }, seed: { type: 'string' }, data: { type: 'string' } },
  });
  const port = Number(values.port);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new Error(`--port ${values.port} is not a port`);
  const twin = await startProviderTwin({ port, seed: values.seed, dataFile: values.data });
  const stop = (): void => {
    void twin.close().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
  process.stdout.write(`ready ${twin.url}\n`);
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
