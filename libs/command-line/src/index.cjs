// The shared parser of command lines: a program declares its options and words as a table, and the values, the help and
// the refusals are derived from it. It is plain JavaScript with node: modules only, because the commands of
// package.json answer `--help` in a fresh clone, before packages are installed and before anything is built.
const { parseArgs } = require('node:util');
const { createInterface } = require('node:readline/promises');

const exitCodes = { done: 0, failed: 1, misused: 2, negative: 3 };

/** The command line is invalid. The message becomes the one line of the refusal. */
class Misuse extends Error {}

const indent = '  ';
const textWidth = 116;

function wrap(text, width) {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines[lines.length - 1];
    if (line !== '' && line.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return lines;
}

/** Two columns; a left side that is too wide gets a line of its own. */
function rows(pairs) {
  const column = Math.min(30, Math.max(...pairs.map(([left]) => left.length)) + 2);
  return pairs.flatMap(([left, text]) => {
    const lines = wrap(text, textWidth - column - indent.length);
    const first = left.length + 2 > column ? [`${indent}${left}`] : [];
    const rest = lines.map((line, at) => {
      const head = at === 0 && first.length === 0 ? left : '';
      return `${indent}${head.padEnd(column)}${line}`;
    });
    return [...first, ...rest];
  });
}

function optionName(name, { type, value }) {
  return type === 'boolean' ? `--${name}` : `--${name} ${value ?? (type === 'number' ? 'N' : 'TEXT')}`;
}

function optionText(option) {
  const facts = [
    ...(option.oneOf ? [`one of ${option.oneOf.join(', ')}`] : []),
    ...(option.required ? ['required'] : []),
    ...(option.multiple ? ['may be repeated'] : []),
    ...(option.default !== undefined ? [`default ${option.default}`] : []),
  ];
  return facts.length > 0 ? `${option.text} (${facts.join('; ')})` : option.text;
}

function commandRow([name, { words = [], options = [], text }]) {
  const own = options.length > 0 ? ` [${options.map((option) => `--${option}`).join(' ')}]` : '';
  return [[name, ...words].join(' ') + own, text];
}

/** Options named by commands apply only to them; the others apply to every command. */
function optionsOf({ commands, options }, shown) {
  if (!commands || shown.length === Object.keys(commands).length) return options;
  const claimed = new Set(Object.values(commands).flatMap(({ options: own = [] }) => own));
  const taken = new Set(shown.flatMap((name) => commands[name].options ?? []));
  return Object.fromEntries(Object.entries(options).filter(([name]) => taken.has(name) || !claimed.has(name)));
}

/** The first lines of the help: of one command, of some, or of all. */
function headOf({ usage, summary, commands, words = [] }, shown) {
  if (!commands) return [`Usage: ${usage} ${[...words, '[options]'].join(' ')}`, '', ...wrap(summary, textWidth)];
  const [only] = shown;
  const { words: own = [], text } = commands[only];
  if (shown.length === 1 && Object.keys(commands).length > 1)
    return [`Usage: ${usage} ${[only, ...own, '[options]'].join(' ')}`, '', ...wrap(sentence(text), textWidth)];
  const rest = shown.map((name) => [name, commands[name]]);
  return [
    `Usage: ${usage} <command>`,
    '',
    ...wrap(summary, textWidth),
    ...['', 'Commands:', ...rows(rest.map(commandRow))],
  ];
}

const sentence = (text) => `${text.charAt(0).toUpperCase()}${text.slice(1)}${text.endsWith('.') ? '' : '.'}`;

/**
 * The help without a final line break: of all commands, or of those that begin with `asked`, the words before `--help`.
 */
function helpOf(definition, asked = []) {
  const { usage, commands, examples = [], negative } = definition;
  const shown = namedBy(commands ?? {}, asked);
  const listed = Object.entries({
    ...optionsOf(definition, shown),
    help: { type: 'boolean', text: 'this text, and nothing else happens' },
  });
  const whole = shown.length === Object.keys(commands ?? {}).length;
  const fitting = examples.filter((example) => whole || shown.some((name) => example.includes(`${usage} ${name}`)));
  return [
    ...headOf(definition, shown),
    '',
    'Options:',
    ...rows(listed.map(([name, option]) => [optionName(name, option), optionText(option)])),
    ...(fitting.length > 0 ? ['', 'Examples:', ...fitting.map((example) => `${indent}${example}`)] : []),
    '',
    ...wrap(
      `Ends with 0 when done, 1 when it was refused or failed, 2 when the command line is wrong (nothing was done)${negative ? `, 3 when ${negative}` : ''}.`,
      textWidth,
    ),
  ].join('\n');
}

/** The commands that the leading words name or begin; all of them when the words match none. */
function namedBy(commands, asked) {
  const names = Object.keys(commands);
  const exact = names
    .filter((name) => name.split(' ').every((word, at) => asked[at] === word))
    .sort((left, right) => right.length - left.length);
  const below = (count) =>
    names.filter((name) => asked.slice(0, count).every((word, at) => name.split(' ')[at] === word));
  if (exact[0] !== undefined && below(asked.length).length <= 1) return [exact[0]];
  for (let count = asked.length; count > 0; count -= 1) if (below(count).length > 0) return below(count);
  return names;
}

/** The line on standard error that refuses a command line. */
function refusalOf({ name }, reason) {
  return `${name}: ${reason}; --help lists the options`;
}

function rangeOf({ fraction, min = 1, max }) {
  const kind = fraction ? 'a number' : 'a whole number';
  return max === undefined ? `${kind}, ${min} or more` : `${kind} from ${min} to ${max}`;
}

function readValue(name, option, text) {
  if (option.type === 'number') {
    const number = text.trim() === '' ? Number.NaN : Number(text);
    const { fraction, min = 1, max = Number.MAX_SAFE_INTEGER } = option;
    if (!(number >= min && number <= max) || (!fraction && !Number.isInteger(number)))
      throw new Misuse(`--${name} is ${rangeOf(option)}, not ${text}`);
    return number;
  }
  if (option.oneOf && !option.oneOf.includes(text))
    throw new Misuse(`--${name} is one of ${option.oneOf.join(', ')}, not ${text}`);
  if (option.form && !option.form.pattern.test(text))
    throw new Misuse(`--${name} is ${option.form.text}, not ${plainText(text)}`);
  return text;
}

/** Values of the tokens by option; an option that no table names is refused. */
function readValues(options, tokens) {
  const values = {};
  for (const [name, option] of Object.entries(options))
    values[name] = option.multiple ? [] : option.type === 'boolean' ? false : option.default;
  const seen = new Set();
  for (const { name, rawName, value, inlineValue } of tokens) {
    const option = Object.hasOwn(options, name) ? options[name] : undefined;
    if (!option || rawName !== `--${name}`) throw new Misuse(`unknown option ${rawName}`);
    if (option.type === 'boolean') {
      if (value !== undefined) throw new Misuse(`--${name} takes no value`);
      values[name] = true;
      continue;
    }
    // A negative number is a value of a number, which its bounds judge; of all else it is the next option.
    const next = option.type === 'number' ? /^-(?!\.?\d)/ : /^-/;
    if (value === undefined || (!inlineValue && next.test(value))) throw new Misuse(`--${name} needs a value`);
    if (!option.multiple && seen.has(name)) throw new Misuse(`--${name} is given twice`);
    seen.add(name);
    const read = readValue(name, option, value);
    if (option.multiple) values[name].push(read);
    else values[name] = read;
  }
  return values;
}

/** The declared command that the first words name; the one with the most words. */
function findCommand(commands, words) {
  const named = Object.keys(commands)
    .filter((name) => name.split(' ').every((word, at) => words[at] === word))
    .sort((left, right) => right.split(' ').length - left.split(' ').length)[0];
  if (named !== undefined) return named;
  const related = Object.keys(commands).filter((name) => name.split(' ')[0] === words[0]);
  throw new Misuse(
    related.length > 0
      ? `${words[0]} is followed by ${related.map((name) => name.split(' ')[1]).join(' or ')}`
      : `unknown command ${words[0]}`,
  );
}

function checkWords(about, declared, given) {
  const required = declared.filter((word) => word.startsWith('<')).length;
  const open = declared.some((word) => word.includes('…'));
  if (given.length >= required && (open || given.length <= declared.length)) return;
  const takes = declared.length === 0 ? 'no further word' : declared.join(' ');
  const subject = about === undefined ? 'this command' : about;
  throw new Misuse(`${subject} takes ${takes}${given.length > declared.length ? `, not ${given.at(-1)}` : ''}`);
}

/** Options named by commands apply only to them; the others apply to every command. */
function checkOptions(commands, command, tokens) {
  const own = commands[command].options ?? [];
  const claimed = Object.values(commands).flatMap(({ options = [] }) => options);
  const foreign = tokens.find(({ name }) => claimed.includes(name) && !own.includes(name));
  if (foreign) throw new Misuse(`${command} does not take --${foreign.name}`);
}

function readRun(definition, args) {
  const { options, commands, words: declared = [] } = definition;
  const plain = Object.fromEntries(
    Object.entries(options).map(([name, { type, multiple = false }]) => [
      name,
      { type: type === 'boolean' ? 'boolean' : 'string', multiple },
    ]),
  );
  const { tokens } = parseArgs({
    args: [...args],
    options: plain,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const optionTokens = tokens.filter(({ kind }) => kind === 'option');
  const given = tokens.filter(({ kind }) => kind === 'positional').map(({ value }) => value);
  const values = readValues(options, optionTokens);
  const missing = Object.keys(options).find((name) => options[name].required && values[name] === undefined);
  if (missing !== undefined) throw new Misuse(`--${missing} is missing`);
  if (!commands) {
    checkWords(undefined, declared, given);
    return { kind: 'run', command: undefined, words: given, values };
  }
  const command = findCommand(commands, given);
  const words = given.slice(command.split(' ').length);
  checkWords(command, commands[command].words ?? [], words);
  checkOptions(commands, command, optionTokens);
  return { kind: 'run', command, words, values };
}

function wantsHelp(definition, args) {
  const end = args.indexOf('--');
  const before = end < 0 ? args : args.slice(0, end);
  if (before.includes('--help') || before.includes('-h')) return true;
  return definition.commands !== undefined && (args.length === 0 || (args.length === 1 && args[0] === 'help'));
}

/** The run of a command whose arguments and help another program handles; undefined for every other command line. */
function passedOn({ commands = {}, options }, args) {
  const name = Object.keys(commands).find((each) => each === args[0] && commands[each].passesOn);
  return name && { kind: 'run', command: name, words: args.slice(1), values: readValues(options, []) };
}

function readCommandLine(definition, args) {
  const passed = passedOn(definition, args);
  if (passed) return passed;
  if (wantsHelp(definition, args)) {
    const words = args.slice(0, args.findIndex((each) => each.startsWith('-')) >>> 0);
    return { kind: 'help', text: helpOf(definition, words) };
  }
  if (definition.passesOn) return { kind: 'run', command: undefined, words: [...args], values: {} };
  try {
    return readRun(definition, args);
  } catch (error) {
    if (error instanceof Misuse) return { kind: 'refused', line: refusalOf(definition, error.message) };
    throw error;
  }
}

/**
 * Prints the help or the refusal for a command line and returns the exit code; undefined when the command should run.
 */
function answerCommandLine(read) {
  if (read.kind === 'run') return undefined;
  if (read.kind === 'help') process.stdout.write(`${read.text}\n`);
  else process.stderr.write(`${read.line}\n`);
  return read.kind === 'help' ? exitCodes.done : exitCodes.misused;
}

function describeError(error) {
  return { text: error instanceof Error ? error.message : String(error), code: exitCodes.failed };
}

/**
 * A reader that leaves early (`| head`) ends no command in the middle of its work, and changes no exit code, by which
 * scripts decide.
 */
function passOverClosedPipe(error) {
  if (error.code !== 'EPIPE') throw error;
}

async function runCommand(definition, work, { args = process.argv.slice(2), describe = describeError, exit } = {}) {
  const read = readCommandLine(definition, args);
  const answered = answerCommandLine(read);
  if (answered !== undefined) {
    process.exitCode = answered;
    return;
  }
  for (const stream of [process.stdout, process.stderr])
    if (!stream.listeners('error').includes(passOverClosedPipe)) stream.on('error', passOverClosedPipe);
  try {
    const code = await work(read);
    if (typeof code === 'number') process.exitCode = code;
  } catch (error) {
    const { text, code } =
      error instanceof Misuse
        ? { text: refusalOf(definition, error.message), code: exitCodes.misused }
        : describe(error, read);
    process.stderr.write(`${text}\n`);
    process.exitCode = code;
    if (exit) process.exit(code);
  }
}

function requireConfirmation(yes) {
  if (!yes && !process.stdin.isTTY) throw new Misuse('there is no terminal to confirm in, and --yes is not given');
}

async function askForWord(question, wanted) {
  requireConfirmation(false);
  const asking = createInterface({ input: process.stdin, output: process.stdout });
  const closed = new Promise((fulfil) => asking.once('close', () => fulfil('')));
  try {
    return (await Promise.race([asking.question(question), closed])).trim() === wanted;
  } finally {
    asking.close();
  }
}

/**
 * Characters that a terminal interprets: all control characters except line feed and tab, and those that change the
 * direction of writing.
 */
const obeyed =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]/g;

function plainText(text) {
  return text.replace(obeyed, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Rows padded into columns; the first row is the header. A line break in a cell does not start a new row. */
function columns(rowsOfCells) {
  const table = rowsOfCells.map((row) => row.map((cell) => cell.replaceAll(/\s*\n\s*/g, ' ')));
  const widths = [];
  for (const row of table) row.forEach((cell, at) => (widths[at] = Math.max(widths[at] ?? 0, cell.length)));
  return table
    .map((row) =>
      row
        .map((cell, at) => cell.padEnd(widths[at]))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

module.exports = {
  Misuse,
  answerCommandLine,
  askForWord,
  columns,
  exitCodes,
  helpOf,
  plainText,
  readCommandLine,
  requireConfirmation,
  runCommand,
};
