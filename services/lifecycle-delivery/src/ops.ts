/** `npm run ops -- migrate` for the delivery's database; it has no investigations of its own. */
import { runSchemaCommand } from '@platform/mongo';
import { schemaSteps } from './store/schema-steps';

function complain(text: string): number {
  process.stderr.write(`${text}\n`);
  return 1;
}

async function main(): Promise<number> {
  if (process.argv[2] !== 'migrate') return complain('npm run ops -- migrate [--apply]');
  const url = process.env['MONGODB_URL'] ?? `mongodb://127.0.0.1:${Number(process.env['PORT_BASE'] ?? 7000) + 17}`;
  const database = process.env['MONGODB_DATABASE'] ?? 'lifecycle_delivery';
  return runSchemaCommand({
    database,
    schemaSteps,
    args: process.argv.slice(3),
    url,
    say: (line) => void process.stdout.write(`${line}\n`),
  });
}

main().then(
  (code) => void (process.exitCode = code),
  (error: unknown) => void (process.exitCode = complain(error instanceof Error ? error.message : String(error))),
);
