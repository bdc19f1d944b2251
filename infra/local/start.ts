/** `npm start [-- --fresh]`: the whole system on this machine, until Ctrl-C. Ends with 1 only when it cannot start. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { exitCodes, runCommand, type CommandValues } from '@platform/command-line';
import { compileCacheFlags } from './compile-cache-flags';
import { serveControl } from './control';
import { describeFailure } from './failed-start';
import { startPlatform, type Platform } from './platform';
import { findRoot, readSettings, type LocalSettings } from './settings';
import command from './start.command.cjs';

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** The permissions of the sample project's pages, so that the printed token opens them too. */
const samplePages = ['orders', 'customers', 'products'].flatMap((name) => ['--permission', `shop.${name}.read`]);

/** Created by the command for it: this process stays small, because it only waits. */
async function ownerToken({ root }: LocalSettings): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [
    ...compileCacheFlags(root),
    join(root, 'dist/infra/local/token.js'),
    '--role',
    'platform_owner',
    '--workspace',
    'acme:owner',
    ...samplePages,
  ]);
  return stdout.trim();
}

async function printWelcome(settings: LocalSettings, platform: Platform, milliseconds: number): Promise<void> {
  const { gatewayUrl, external, natsUrl, ports, providerUrl, localDir } = settings;
  const has = (name: string): boolean => platform.parts().some((part) => part.name === name);
  const rows: [string, string | false][] = [
    ['gateway', has('operator') && gatewayUrl],
    ['console', has('operator') && `${gatewayUrl}/console`],
    ["owner's pages", has('operator') && `${gatewayUrl}/account`],
    ['API docs', has('operator') && `${gatewayUrl}/docs`],
    ['pages', has('query-builder') && `http://127.0.0.1:${ports.queryBuilder}/dms/pages`],
    ['studio', has('query-builder') && `http://127.0.0.1:${ports.queryBuilder}/dms/studio`],
    [
      'webhooks',
      has('billing-webhook') && `http://127.0.0.1:${ports.billingWebhook}/api/saas/webhooks/payment-provider`,
    ],
    ['provider twin', providerUrl ?? false],
    ['broker', external.nats ? 'NATS_URL' : natsUrl],
    ['document store', external.documentStore ? 'MONGODB_URL' : settings.mongodbUrl],
    ['data and logs', localDir],
  ];
  print('');
  for (const [name, value] of rows) if (value) print(`  ${name.padEnd(15)} ${value}`);
  print(`  ${'token'.padEnd(15)} ${await ownerToken(settings)}`);
  print(
    `\nready after ${(milliseconds / 1_000).toFixed(1)} s. Try \`npm run demo\` in another terminal; Ctrl-C stops everything.`,
  );
}

function end(): never {
  print('stopped');
  process.exit(0);
}

async function start({ fresh, only, without }: CommandValues<typeof command>): Promise<void> {
  const startedAt = performance.now();
  const settings = readSettings(process.env, findRoot());
  const givenUp = new AbortController();
  const starting = startPlatform({
    settings,
    fresh,
    choice: { only: only ?? [], without: without ?? [] },
    print,
    signal: givenUp.signal,
  });
  const stop = (): void => {
    if (givenUp.signal.aborted) return;
    print('\nstopping …');
    givenUp.abort();
    // A start that was aborted is reported where it is awaited.
    void starting
      .then((started) => started.stop())
      .then(
        () => end(),
        () => undefined,
      );
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
  // The reader of the output has ended, as with its terminal or the program that began this one. Without a listener the
  // next line would end this process alone, and every part would go on.
  for (const output of [process.stdout, process.stderr]) output.on('error', stop);
  const platform = await starting;
  // A program that controls it over the channel knows the addresses and creates its own tokens.
  if (!process.send) await printWelcome(settings, platform, performance.now() - startedAt);
  serveControl(platform, stop);
  // Keeps this process alive when the environment supplies every server.
  setInterval(() => undefined, 60_000);
}

void runCommand(command, ({ values }) => start(values), {
  describe: (error) => ({
    text: `\nThe platform did not start. ${describeFailure(error, process.env)}`,
    code: exitCodes.failed,
  }),
  exit: true,
});
