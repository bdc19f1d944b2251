/**
 * The off-line command line of a service (`npm run ops`): it has database credentials and performs no effect. With it,
 * every service migrates its documents and verifies its trails; services with investigations also read and resolve
 * cases.
 */
import {
  askForWord,
  type CommandDefinition,
  type CommandRun,
  exitCodes,
  Misuse,
  plainText,
  requireConfirmation,
  runCommand,
} from '@platform/command-line';
import type { PaymentProvider } from '@platform/payment-provider';
import { createIds, silentLog, systemClock, type Clock } from '@platform/kernel';
import { shownText, shownTextRule } from '@platform/kernel/text';
import {
  addressProblem,
  connectStore,
  createDatabaseClock,
  runSchemaCommand,
  StoreUnavailableError,
  type SchemaStep,
  type Store,
} from '@platform/mongo';
import { readSecretFiles } from '@platform/service-host';
import { noDatabase } from './no-database';
import { askOffLine } from '../executors/off-line';
import type { AskExecutors } from '../executors/ask-executors';
import { incarnationsCollection } from '../boot/incarnations';
import { runAuditCommand, type AuditCommand } from './audit-command';
import type { Investigation, InvestigationPorts, Planned } from './investigate';
import { openPeople, type People } from './people';
import { signedBy, type Unsigned } from './proof-options';
import type { Proofs } from './proofs';
import { isEvidenceRefusal, searchedText } from './second-proof';
import { openSurroundings } from './surroundings';

/** Where a command's output goes, and how a person is asked before a write. */
export interface Terminal {
  print(text: string): void;
  /** Overwrites the last line where the terminal can. */
  draw(line: string): void;
  /** Prints an error; returns the exit code. */
  complain(text: string): number;
  /** Asks the person to type this id; any other input changes nothing. */
  confirmed(id: string, what?: string): Promise<boolean>;
}

export const terminal: Terminal = {
  print: (text) => void process.stdout.write(`${plainText(text)}\n`),
  draw: (line) =>
    void process.stdout.write(process.stdout.isTTY ? `\r\x1b[2K${plainText(line)}` : `${plainText(line)}\n`),
  complain: (text) => {
    process.stderr.write(`${plainText(text)}\n`);
    return exitCodes.failed;
  },
  confirmed: (id, what = 'id') => askForWord(`\nType the ${what} to write this, anything else to leave it: `, id),
};

export interface OfflineWork {
  readonly store: Store;
  /** The database's clock, by which the trails add resolutions. */
  readonly clock: Clock;
  readonly terminal: Terminal;
  /** Reads and checks the tokens of the people who record a resolution. */
  readonly people: People;
  /** Asks the processes that records name, over the broker if there is one. */
  readonly askExecutors: AskExecutors;
  /** Only its reads are used, so nothing is changed there. Throws `Misuse` when the environment names none. */
  readonly provider: PaymentProvider;
  /** The clock by which the provider may still act on a request that was sent at `sentAt`. */
  readonly providerNow: (sentAt: Date) => Promise<Date>;
}

type Definition = CommandDefinition & { readonly options: { readonly yes?: unknown; readonly apply: unknown } };
type Values = { readonly yes?: boolean; readonly apply: boolean; readonly expect?: readonly string[] };

export interface OfflineCommand<D extends Definition, Asked> {
  readonly command: D;
  /** The name on the local platform; MONGODB_DATABASE replaces it. */
  readonly database: string;
  readonly schemaSteps: readonly SchemaStep[];
  readonly trails?: AuditCommand['trails'];
  /** Decodes the service's own commands, besides `migrate` and `audit verify`. Throws `Misuse`. */
  readonly ask: (run: CommandRun<D>) => Asked;
  /** Runs the command on the service's database; returns the exit code. */
  readonly work?: (asked: Asked, work: OfflineWork) => Promise<number>;
  /** Runs a command that needs no database; null for every other command. */
  readonly alone?: (asked: Asked, terminal: Terminal) => Promise<number> | number | null;
}

/** A person waits longer than a request does: after the loss of a primary, the other members elect a new one first. */
const electionMs = 15_000;

/** Reads the command line, runs the command and ends the process with its exit code. */
export function runOffline<D extends Definition, Asked>(offline: OfflineCommand<D, Asked>): void {
  const { command, schemaSteps, trails = {} } = offline;
  const start = (run: CommandRun<D>): Promise<number> | number => {
    requireShownText(run.values);
    readSecrets();
    const database = process.env['MONGODB_DATABASE'] ?? offline.database;
    const values = run.values as unknown as Values;
    const name = String(run.command);
    const decoded = name === 'migrate' || name === 'audit verify' ? null : { asked: offline.ask(run) };
    const done = decoded && offline.alone?.(decoded.asked, terminal);
    if (done !== null && done !== undefined) return done;
    // Checked before the database is read: a command that cannot be confirmed does not begin.
    if (command.commands?.[name]?.options?.includes('yes')) requireConfirmation(values.yes ?? false);
    const url = databaseUrl();
    if (name === 'migrate')
      return runSchemaCommand({ database, schemaSteps, apply: values.apply, url, print: terminal.print });
    if (name === 'audit verify')
      return runAuditCommand({
        url,
        database,
        schemaSteps,
        trails,
        expect: values.expect ?? [],
        print: terminal.print,
      });
    return onStore({ url, database, schemaSteps }, (work) => offline.work!(decoded!.asked, work));
  };
  void runCommand(command, start, {
    describe: (error) => ({
      text:
        error instanceof StoreUnavailableError
          ? `No database answers at ${hostsOf(databaseUrl())}; nothing was written. Does it run there? MONGODB_URL names it.`
          : String(error),
      code: exitCodes.failed,
    }),
  });
}

/** What people say goes on record, where others read it, as over HTTP. Throws `Misuse`. */
function requireShownText(values: object): void {
  for (const [name, value] of Object.entries(values))
    for (const text of [value].flat() as unknown[])
      if (typeof text === 'string' && !shownText.test(text)) throw new Misuse(`--${name} ${shownTextRule}`);
}

/** Read as the services read them: `NAME_FILE` names the file that contains the value of `NAME`. */
const secrets = [
  'MONGODB_URL',
  'NATS_PASSWORD',
  'NATS_CA',
  'STRIPE_SECRET_KEY',
  'CASE_SIGNING_KEY',
  'CASE_VERIFYING_KEY',
  'JWT_PUBLIC_KEYS',
];

function readSecrets(): void {
  const { environment, problems } = readSecretFiles(secrets, process.env);
  const [problem] = problems;
  if (problem) throw new Misuse(`${problem.variable} ${problem.message}`);
  Object.assign(process.env, environment);
}

/** No default is assumed, because the write is permanent. */
function databaseUrl(): string {
  const url = process.env['MONGODB_URL'];
  if (!url) throw new Misuse(noDatabase);
  const problem = addressProblem(url);
  if (problem) throw new Misuse(`MONGODB_URL is no address of a database: ${problem}`);
  return url;
}

/** The part of an address that is no secret. */
function hostsOf(url: string): string {
  const [authority = ''] = url.replace(/^[a-z+]+:\/\//, '').split(/[/?]/);
  return authority.slice(authority.lastIndexOf('@') + 1);
}

async function onStore(
  target: { readonly url: string; readonly database: string; readonly schemaSteps: readonly SchemaStep[] },
  work: (work: OfflineWork) => Promise<number>,
): Promise<number> {
  const clock = createDatabaseClock(systemClock);
  const store = await connectStore({
    ...target,
    ...{ clock, ids: createIds(clock), log: silentLog, appName: 'ops', timeouts: { selectMs: electionMs } },
  });
  const { provider, isLocal, providerNow, close } = openSurroundings();
  try {
    await clock.measure(() => store.now());
    return await work({
      store,
      clock,
      terminal,
      get provider() {
        return provider();
      },
      people: openPeople(isLocal),
      askExecutors: askOffLine(store.collection(incarnationsCollection)),
      providerNow: (sentAt) => providerNow(sentAt, clock),
    });
  } finally {
    close();
    await store.close();
  }
}

export interface Resolving<T, Open, Request extends Proofs, Beside> {
  readonly request: Unsigned<Request>;
  /** Skips the confirmation. */
  readonly yes: boolean;
  readonly describe: (planned: Planned<Open, Request, Beside>) => string | Promise<string>;
  /** The consequence for the record, in a sentence or two. */
  readonly becomes: (planned: Planned<Open, Request, Beside>) => string;
  readonly statusOf: (resolved: T) => string;
  /** The name of the id in the prompt. */
  readonly idName?: string;
}

export type ResolvingWork = Pick<OfflineWork, 'terminal' | 'people' | 'askExecutors'>;

/** For people whose tokens were already verified. */
export type ResolvingProven<T, Open, Request extends Proofs, Beside> = Omit<
  Resolving<T, Open, Request, Beside>,
  'request'
> & {
  readonly request: Request;
  /** How the current situation differs from the agreed one; null when it does not. */
  readonly differs?: (planned: Planned<Open, Request, Beside>) => string | null;
};

/** Shows the record and the planned write, asks for the record's id, records the resolution. Returns the exit code. */
export async function resolveOffline<Ports extends InvestigationPorts, T, Open, Request extends Proofs, Beside>(
  investigation: Investigation<Ports, T, Open, Request, Beside>,
  ports: Ports,
  { request: unsigned, ...shown }: Resolving<T, Open, Request, Beside>,
  work: ResolvingWork,
): Promise<number> {
  return resolveProven(investigation, ports, { ...shown, request: await signedBy(work.people, unsigned) }, work);
}

/** The same for people whose tokens were already verified. */
export async function resolveProven<Ports extends InvestigationPorts, T, Open, Request extends Proofs, Beside>(
  { noun, plan, record }: Investigation<Ports, T, Open, Request, Beside>,
  given: Ports,
  { request, yes, describe, becomes, statusOf, idName, differs }: ResolvingProven<T, Open, Request, Beside>,
  { terminal: { print, complain, confirmed }, askExecutors }: Pick<ResolvingWork, 'terminal' | 'askExecutors'>,
): Promise<number> {
  const ports = { ...given, askExecutors };
  const refuse = (text: string): number => {
    const code = complain(text);
    return isEvidenceRefusal(text) ? exitCodes.negative : code;
  };
  const planned = await plan(ports, request);
  if (!planned.ok) return refuse(planned.error);
  const difference = differs?.(planned.value) ?? null;
  if (difference !== null) return refuse(difference);
  print(await describe(planned.value));
  for (const finding of planned.value.secondProof?.findings ?? []) print(`\nLooked at: ${searchedText(finding)}`);
  for (const { text } of planned.value.secondProof?.statements ?? []) print(`\nAsked: ${text}`);
  for (const warning of planned.value.warnings) print(`\nNote: ${warning}`);
  const written = JSON.stringify(planned.value.resolution, null, 2);
  print(`\nWill be written, once and for good:\n${written}\n${becomes(planned.value)}`);
  if (!yes && !(await confirmed(request.id, idName))) return complain('Nothing was written.');
  const recorded = await record(ports, planned.value);
  if (!recorded.ok) return refuse(recorded.error);
  print(`Recorded. ${noun.charAt(0).toUpperCase()}${noun.slice(1)} ${request.id} is ${statusOf(recorded.value)}.`);
  return exitCodes.done;
}
