/** Helpers of suites and runs that start servers of the native binary on this machine. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

const finder = 'infra/local/nats-server.find.mjs';

/** The repository's root, for the source and for a bundle of it. */
function findRoot(from: string): string {
  return existsSync(join(from, finder)) ? from : findRoot(dirname(from));
}

/**
 * Path of the binary that the local platform uses. The finder is an ES module, which suites cannot load, so it runs
 * separately.
 */
export function findServer(): string {
  const root = findRoot(__dirname);
  const [module, localDir] = [join(root, finder), join(root, '.local')].map((each) => JSON.stringify(each));
  const find = `import(${module}).then((m) => m.findNatsServer({ localDir: ${localDir} })).then(({ path }) => console.log(path))`;
  return execFileSync(process.execPath, ['-e', find], { encoding: 'utf8' }).trim();
}
