/**
 * The off-line program of the whole platform: passes a command to the program of the service that owns the record. Each
 * service has its own program, because only it may write its own records, with its own database user.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { exitCodes, Misuse, runCommand } from '@platform/command-line';
import { noDatabase } from '@platform/durable/no-database';
import command from './ops.command.cjs';
import { environmentOf, namesDatabase } from './environment';

const services = Object.keys(command.owned);

/** In an image the folder is beside this program, and in a build two folders further up. */
function programOf(service: string): string {
  const [inImage, built] = ['.', '../..'].map((folder) => join(__dirname, folder, 'services', service, 'ops.js'));
  return inImage !== undefined && existsSync(inImage) ? inImage : (built ?? '');
}

/** Lines of the errors printed so far. Programs that refuse the same command line for the same reason print one. */
const complained = new Set<string>();

function complain(text: string): void {
  const lines = text.split('\n').filter((line) => line !== '');
  for (const line of lines.filter((each) => !complained.has(each))) process.stderr.write(`${line}\n`);
  lines.forEach((line) => complained.add(line));
}

function run(service: string, alone: boolean): number {
  const args = ['--enable-source-maps', ...process.execArgv, programOf(service), ...process.argv.slice(2)];
  const ran = spawnSync(process.execPath, args, {
    stdio: ['inherit', 'inherit', alone ? 'inherit' : 'pipe'],
    encoding: 'utf8',
    maxBuffer: Number.POSITIVE_INFINITY,
    env: environmentOf(service, process.env, alone),
  });
  if (!alone) complain(ran.stderr ?? '');
  return ran.status ?? 1;
}

/** The worst of the codes; those of programs that the record does not concern count only where there is no other. */
function together(codes: readonly number[]): number {
  const concerning = codes.filter((code) => code !== command.noBootOpen);
  return concerning.length === 0 ? exitCodes.failed : Math.max(...concerning);
}

void runCommand(command, ({ command: name }) => {
  const concerned = services.filter((service) => command.owned[service]?.includes(String(name)));
  const alone = concerned.length === 1;
  // Refused here at once, because a service's program takes half a second to load.
  if (
    !command.withoutDatabase.includes(String(name)) &&
    concerned.every((service) => !namesDatabase(environmentOf(service, process.env, alone)))
  )
    throw new Misuse(noDatabase);
  // A finding of one program does not stop the others.
  return together(concerned.map((service) => run(service, alone)));
});
