/** `npm run ops -- setup stripe`: creates or compares the webhook endpoint at the provider. It needs no database. */
import { accessSync, constants, existsSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { exitCodes, Misuse } from '@platform/command-line';
import { webhookPath } from '@platform/contracts-billing-webhook';
import type { Terminal } from '@platform/durable/investigation';
import { openWebhookEndpoints, providerApiVersion } from '@platform/payment-provider';
import { setUpEndpoint } from '../workflows/set-up-endpoint';

export interface SetupRequest {
  readonly url: string;
  readonly apply: boolean;
  readonly secretFile?: string;
}

const timeoutMs = 30_000;

/** Throws `Misuse`. */
export function setupRequestOf(values: {
  readonly url?: string | undefined;
  readonly apply: boolean;
  readonly 'secret-file'?: string | undefined;
}): SetupRequest {
  const { url, apply, 'secret-file': secretFile } = values;
  if (url === undefined) throw new Misuse('--url is missing: where the provider reaches the receiver of events');
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) throw new Misuse(`--url ${url} is no address`);
  if (!new URL(url).pathname.endsWith(webhookPath))
    throw new Misuse(`--url ${url} does not end in ${webhookPath}, where the receiver listens`);
  return { url, apply, ...(secretFile !== undefined && { secretFile }) };
}

/** Exits with 3 when the endpoint differs and no change was requested, or its secret is missing. Throws `Misuse`. */
export async function runSetupCommand({ url, apply, secretFile }: SetupRequest, terminal: Terminal): Promise<number> {
  const { STRIPE_SECRET_KEY: secretKey, STRIPE_API_BASE: apiBase } = process.env;
  if (!secretKey) throw new Misuse('STRIPE_SECRET_KEY is not set, nor is STRIPE_SECRET_KEY_FILE');
  const endpoints = openWebhookEndpoints({ secretKey, timeoutMs, ...(apiBase && { apiBase }) });
  const keepSecret = (secret: string | null): void => {
    if (secretFile === undefined)
      throw new Misuse('--secret-file is missing: the provider shows the secret of a new endpoint once');
    const file = resolve(secretFile);
    if (existsSync(file)) throw new Misuse(`${secretFile} exists; the secret of a new endpoint goes into a new file`);
    if (secret !== null) return writeFileSync(file, secret, { mode: 0o600, flag: 'wx' });
    try {
      accessSync(dirname(file), constants.W_OK);
    } catch {
      throw new Misuse(`${dirname(file)} is no folder that can be written`);
    }
  };
  try {
    const awaitsSecret = secretFile !== undefined && !existsSync(resolve(secretFile));
    const ports = { endpoints, version: providerApiVersion, keepSecret, awaitsSecret, print: terminal.print };
    return (await setUpEndpoint(ports, url, apply)) ? exitCodes.done : exitCodes.negative;
  } catch (error) {
    if (error instanceof Misuse) throw error;
    const said = error instanceof Error ? error.message : String(error);
    return terminal.complain(
      `The provider was asked, and this is what it said: ${said.replace(/\.$/, '')}. Run the same line again.`,
    );
  }
}
