import {
  answerCommandLine,
  columns,
  helpOf,
  Misuse,
  readCommandLine,
  requireConfirmation,
  runCommand,
} from './index.cjs';

const serve = {
  name: 'serve',
  usage: 'npm run serve --',
  summary: 'Serves a folder.',
  words: ['<folder>', '[more …]'],
  options: {
    port: { type: 'number', min: 0, max: 65_535, default: 80, text: 'where it listens' },
    share: { type: 'number', min: 0.1, fraction: true, text: 'a part' },
    role: { type: 'string', oneOf: ['owner', 'guest'], required: true, text: 'who asks' },
    tag: {
      type: 'string',
      multiple: true,
      value: 'T',
      form: { pattern: /^[a-z]+$/, text: 'small letters' },
      text: 'a mark',
    },
    loud: { type: 'boolean', text: 'say more' },
  },
} as const;
const keep = {
  name: 'keep',
  usage: 'npm run keep --',
  summary: 'Keeps things.',
  commands: {
    list: { text: 'what is there' },
    'list old': { options: ['before'], text: 'what is old' },
    'drop thing': { words: ['<id>'], options: ['yes'], text: 'take one away' },
  },
  options: {
    before: { type: 'string', text: 'a day' },
    yes: { type: 'boolean', text: 'do not ask' },
    folder: { type: 'string', text: 'where' },
  },
  negative: 'there is nothing',
} as const;

const refusalOf = (...args: string[]) => {
  const read = readCommandLine(serve, args);
  return read.kind === 'refused' ? read.line : read.kind;
};

describe('a command line', () => {
  it('becomes values of their types, with defaults', () => {
    expect(readCommandLine(serve, ['pages', '--role=owner', '--tag', 'a', '--tag', 'b', '--loud', 'css'])).toEqual({
      kind: 'run',
      command: undefined,
      words: ['pages', 'css'],
      values: { port: 80, share: undefined, role: 'owner', tag: ['a', 'b'], loud: true },
    });
    expect(readCommandLine(serve, ['pages', '--role', 'guest', '--port', '0', '--share', '0.5'])).toMatchObject({
      values: { port: 0, share: 0.5, loud: false, tag: [] },
    });
  });

  it.each([
    [['--x'], 'unknown option --x'],
    [['-x'], 'unknown option -x'],
    [['--x=1', 'pages'], 'unknown option --x'],
    [['pages'], '--role is missing'],
    [['--role', 'owner'], 'this command takes <folder> [more …]'],
    [['pages', '--role', 'king'], '--role is one of owner, guest, not king'],
    [['pages', '--port', '-1'], '--port is a whole number from 0 to 65535, not -1'],
    [['pages', '--port', '-.5'], '--port is a whole number from 0 to 65535, not -.5'],
    [['pages', '--port', '--loud'], '--port needs a value'],
    [['pages', '--role', 'owner', '--role', 'guest'], '--role is given twice'],
    [['pages', '--port', '1', '--port=1'], '--port is given twice'],
    [['pages', '--port=-1'], '--port is a whole number from 0 to 65535, not -1'],
    [['pages', '--port', '1.5'], '--port is a whole number from 0 to 65535, not 1.5'],
    [['pages', '--port', ''], '--port is a whole number from 0 to 65535, not '],
    [['pages', '--share', 'none'], '--share is a number, 0.1 or more, not none'],
    [['pages', '--loud=yes'], '--loud takes no value'],
    [['pages', '--tag', 'a', '--tag', 'B'], '--tag is small letters, not B'],
    [['pages', '--tag', ''], '--tag is small letters, not '],
    [['pages', '--tag'], '--tag needs a value'],
    [['pages', '--tag', '--loud'], '--tag needs a value'],
    [['pages', '--constructor'], 'unknown option --constructor'],
  ])('is refused in one line: %j', (args, reason) => {
    expect(refusalOf(...args)).toBe(`serve: ${reason}; --help lists the options`);
  });

  it.each([[['--help']], [['-h']], [['--x', '--help']], [['pages', '--port', '--help']]])(
    'asks for help and nothing else: %j',
    (args) => expect(refusalOf(...args)).toBe('help'),
  );

  it('does not ask for help by a word after the end of the options', () => {
    expect(readCommandLine(serve, ['--role', 'owner', '--', '--help'])).toMatchObject({ words: ['--help'] });
  });

  it('is passed on as it is to a program that judges it, but for the help', () => {
    const passing = { ...serve, passesOn: 'jest' };
    expect(readCommandLine(passing, ['--anything', 'x'])).toMatchObject({ kind: 'run', words: ['--anything', 'x'] });
    expect(readCommandLine(passing, ['-h'])).toMatchObject({ kind: 'help' });
  });
});

describe('a command with subcommands', () => {
  it('takes the longest name that the words begin with', () => {
    expect(readCommandLine(keep, ['list'])).toMatchObject({ command: 'list', words: [] });
    expect(readCommandLine(keep, ['list', 'old', '--before', 'friday'])).toMatchObject({
      command: 'list old',
      values: { before: 'friday' },
    });
    expect(readCommandLine(keep, ['drop', 'thing', 'a', '--folder', 'f'])).toMatchObject({ words: ['a'] });
  });

  it.each([
    [['force', 'thing'], 'unknown command force'],
    [['drop', 'all'], 'drop is followed by thing'],
    [['drop', 'thing'], 'drop thing takes <id>'],
    [['drop', 'thing', 'a', 'b'], 'drop thing takes <id>, not b'],
    [['list', 'new'], 'list takes no further word, not new'],
    [['list', '--before', 'friday'], 'list does not take --before'],
    [['--yes'], 'unknown command'],
  ])('refuses %j', (args, reason) => {
    expect(readCommandLine(keep, args)).toMatchObject({
      kind: 'refused',
      line: expect.stringContaining(reason) as string,
    });
  });

  it.each([[[]], [['help']]])('helps when nothing is asked: %j', (args) => {
    expect(readCommandLine(keep, args)).toMatchObject({ kind: 'help' });
  });
});

describe('the help', () => {
  it('names usage, commands, options and exit codes in lines of a terminal', () => {
    const text = helpOf(keep);
    expect(text).toMatch(/^Usage: npm run keep -- <command>\n\nKeeps things\.\n/);
    expect(text).toContain('  drop thing <id> [--yes]  take one away');
    expect(text).toMatch(/--help +this text/);
    expect(text).toMatch(/3 when\sthere is nothing\.$/);
    expect(helpOf(serve)).toMatch(/--port N +where it listens \(default 80\)/);
    expect(helpOf(serve)).toMatch(/--role TEXT +who asks \(one of owner, guest; required\)/);
    expect(
      helpOf({ ...keep, summary: 'word '.repeat(80) })
        .split('\n')
        .every((line) => line.length <= 120),
    ).toBe(true);
  });
});

describe('the help of one command', () => {
  const helpFor = (...args: string[]) => {
    const read = readCommandLine(keep, args);
    return read.kind === 'help' ? read.text : read.kind;
  };

  it('names its own words and options, and those that go with every command', () => {
    const text = helpFor('drop', 'thing', '--help');
    expect(text).toMatch(/^Usage: npm run keep -- drop thing <id> \[options\]\n\nTake one away\.\n/);
    expect(text).toContain('--yes');
    expect(text).toContain('--folder');
    expect(text).not.toContain('--before');
    expect(text).not.toContain('list');
    expect(text).toMatch(/^Ends with 0/m);
  });

  it('is the list of commands that the words begin', () => {
    const text = helpFor('list', '--help');
    expect(text).toContain('list old');
    expect(text).not.toContain('drop thing');
    expect(helpFor('list', 'old', '-h')).toMatch(/^Usage: npm run keep -- list old/);
  });

  it('is that of all commands where the words name none', () => {
    expect(helpFor('dance', '--help')).toBe(helpOf(keep));
    expect(helpFor('--help', 'drop', 'thing')).toBe(helpOf(keep));
  });
});

describe('a command that another program judges', () => {
  const passing = { ...keep, commands: { ...keep.commands, other: { text: 'all else', passesOn: true } } } as const;

  it('passes its words and options on as they are, its help too', () => {
    for (const rest of [['--help'], ['show', '--unknown'], ['--', '-x']])
      expect(readCommandLine(passing, ['other', ...rest])).toMatchObject({
        kind: 'run',
        command: 'other',
        words: rest,
      });
  });
});

it('columns are as wide as their widest cell', () => {
  expect(
    columns([
      ['id', 'of'],
      ['a-long-one', 'x'],
      ['b', ''],
    ]),
  ).toBe('id          of\na-long-one  x\nb');
});

it('columns that a shorter row does not have keep the width of the others', () => {
  expect(columns([['reader', 'waits', 'redelivered'], ['operator', '12', '0'], ['none'], ['ops', '3', '0']])).toBe(
    'reader    waits  redelivered\noperator  12     0\nnone\nops       3      0',
  );
});

it('a cell with a line break makes no row of its own', () => {
  expect(columns([['Acme\n  op-1  succeeded', 'x']])).toBe('Acme op-1  succeeded  x');
});

describe('a program', () => {
  let said = { out: '', err: '' };
  const before = process.exitCode;
  beforeEach(() => {
    said = { out: '', err: '' };
    jest.spyOn(process.stdout, 'write').mockImplementation((text) => ((said.out += String(text)), true));
    jest.spyOn(process.stderr, 'write').mockImplementation((text) => ((said.err += String(text)), true));
  });
  afterEach(() => {
    jest.restoreAllMocks();
    process.exitCode = before;
  });

  it('runs with its values, and its number is the exit code', async () => {
    await runCommand(keep, ({ command, words }) => (command === 'drop thing' && words[0] === 'a' ? 3 : 1), {
      args: ['drop', 'thing', 'a'],
    });
    expect([process.exitCode, said]).toEqual([3, { out: '', err: '' }]);
  });

  it('does not run for help or a refusal', async () => {
    const work = jest.fn();
    await runCommand(keep, work, { args: ['list', '--help'] });
    expect([process.exitCode, said.out]).toEqual([0, `${helpOf(keep, ['list'])}\n`]);
    await runCommand(keep, work, { args: ['--nothing'] });
    expect([process.exitCode, said.err]).toEqual([2, 'keep: unknown option --nothing; --help lists the options\n']);
    expect(work).not.toHaveBeenCalled();
    expect(answerCommandLine(readCommandLine(keep, ['list']))).toBeUndefined();
  });

  it('ends with 2 and one line when it finds the command line wrong, with 1 and the reason when it fails', async () => {
    await runCommand(keep, () => Promise.reject(new Misuse('no such thing')), { args: ['list'] });
    expect([process.exitCode, said.err]).toEqual([2, 'keep: no such thing; --help lists the options\n']);
    said.err = '';
    await runCommand(keep, () => Promise.reject(new Error('the disk is full')), { args: ['list'] });
    expect([process.exitCode, said.err]).toEqual([1, 'the disk is full\n']);
  });
});

describe('a confirmation', () => {
  const terminal = Object.getOwnPropertyDescriptor(process.stdin, 'isTTY');
  const pretend = (isTTY: boolean) =>
    Object.defineProperty(process.stdin, 'isTTY', { value: isTTY, configurable: true });
  afterEach(() => {
    if (terminal) Object.defineProperty(process.stdin, 'isTTY', terminal);
    else Reflect.deleteProperty(process.stdin, 'isTTY');
  });

  it('is refused without a terminal, naming the flag that confirms', () => {
    pretend(false);
    expect(() => requireConfirmation(false)).toThrow(
      new Misuse('there is no terminal to confirm in, and --yes is not given'),
    );
    expect(() => requireConfirmation(true)).not.toThrow();
    pretend(true);
    expect(() => requireConfirmation(false)).not.toThrow();
  });
});
