// Preloaded into a program that may only print an answer: starting a process or a thread, using the network or writing
// a file ends the program with 99. This detects every effect of a program before its answer.
const refuse = (name) =>
  function effect() {
    process.stderr.write(`effect: ${name}\n`);
    process.exit(99);
  };
const close = (target, names) => {
  for (const name of names) if (typeof target[name] === 'function') target[name] = refuse(name);
};

close(require('node:child_process'), ['spawn', 'spawnSync', 'exec', 'execSync', 'execFile', 'execFileSync', 'fork']);
const net = require('node:net');
close(net.Server.prototype, ['listen']);
close(net.Socket.prototype, ['connect']);
require('node:worker_threads').Worker = refuse('Worker');
const fs = require('node:fs');
const writing = ['writeFile', 'appendFile', 'mkdir', 'mkdtemp', 'rename', 'rm', 'rmdir', 'unlink', 'cp', 'copyFile'];
close(fs, [...writing, ...writing.map((name) => `${name}Sync`), 'createWriteStream']);
close(fs.promises, writing);
require('node:module').syncBuiltinESMExports();
