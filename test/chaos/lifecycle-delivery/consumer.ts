/**
 * A consumer that may be killed at any moment: its effect is one line in a file, on disk before the receipt, so that
 * the file shows afterwards how often each effect took place. Every run is noted too.
 */
import { appendFileSync, closeSync, existsSync, fdatasyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import { connectWorkspacePlatform } from '@platform/workspace-platform/connect';
import { RegisterTenantLifecycleConsumer } from '@platform/workspace-platform/tenant-lifecycle';

const {
  NATS_URL: natsUrl = '',
  NAME: name = '',
  EFFECTS_FILE: effectsFile = '',
  RUNS_FILE: runsFile = '',
} = process.env;

const text = existsSync(effectsFile) ? readFileSync(effectsFile, 'utf8') : '';
const effects = new Set(text.slice(0, text.lastIndexOf('\n') + 1).split('\n'));
const descriptor = openSync(effectsFile, 'a');
if (text !== '' && !text.endsWith('\n')) writeSync(descriptor, '\n');

RegisterTenantLifecycleConsumer({
  name,
  transitions: ['suspended'],
  async consume({ operationId }) {
    appendFileSync(runsFile, `${operationId}\n`);
    if (!effects.has(operationId)) {
      writeSync(descriptor, `${operationId}\n`);
      fdatasyncSync(descriptor);
      effects.add(operationId);
    }
    return { receiptId: `${name}:${operationId}`, effectiveAt: new Date() };
  },
});

process.once('exit', () => closeSync(descriptor));
void connectWorkspacePlatform({ natsUrl, instance: name }).then(async (connection) => {
  await connection.ready();
  process.stdout.write('ready\n');
});
