/**
 * Completion in bash, zsh and fish: a library supplies scripts and protocol, and the command's table supplies the
 * words.
 */
import { exitCodes, Misuse, type CommandDefinition } from '@platform/command-line';

const shells = ['bash', 'zsh', 'fish'];

/** Throws `Misuse` for another shell. */
export async function printCompletionScript(shell: string): Promise<number> {
  if (!shells.includes(shell)) throw new Misuse(`completion is for ${shells.join(', ')}, not ${shell}`);
  const { script } = await import('@bomb.sh/tab');
  script(shell, 'wsp', 'wsp');
  return exitCodes.done;
}

/** Option values that the shell offers; the gateway decides which are valid. */
const values: Readonly<Record<string, readonly string[]>> = {
  order: ['newest', 'oldest'],
  state: ['stopped', 'interrupted', 'running', 'waiting'],
  kind: [
    ...['operation', 'migration', 'migration_item', 'webhook_event', 'provisioning_attempt'],
    ...['deletion', 'delivery', 'dead_letter', 'difference'],
  ],
};

/** Prints the words that may follow the typed ones, in the form that the scripts read. */
export async function offerCompletions(
  { commands = {}, options }: CommandDefinition,
  typed: readonly string[],
): Promise<void> {
  const { RootCommand } = await import('@bomb.sh/tab');
  const root = new RootCommand();
  // The library finds `case list` below `case`.
  for (const group of new Set(Object.keys(commands).map((name) => name.split(' ')[0]!)))
    if (!Object.hasOwn(commands, group)) root.command(group, '');
  const claimed = new Set(Object.values(commands).flatMap(({ options: own = [] }) => own));
  for (const [name, { text, options: own = [] }] of Object.entries(commands)) {
    const offered = root.command(name, text);
    const taken = Object.keys(options).filter((option) => own.includes(option) || !claimed.has(option));
    for (const option of taken) {
      const described = options[option]!;
      if (described.type === 'boolean') offered.option(option, described.text);
      else
        offered.option(option, described.text, (complete) => values[option]?.forEach((value) => complete(value, '')));
    }
    if (name === 'completion') offered.argument('shell', (complete) => shells.forEach((shell) => complete(shell, '')));
  }
  root.parse([...typed]);
}
