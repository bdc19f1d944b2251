/** The store as a separate process, for tests that kill it or measure its memory. */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';

export interface StoreProcess {
  child: ChildProcess;
  url: string;
}

/** The folder of installed packages, where the bundle outside of the repository finds them. */
function packages(): string {
  for (let at = __dirname; ; at = dirname(at)) {
    const candidate = join(at, 'node_modules');
    if (existsSync(join(candidate, 'lmdb'))) return candidate;
  }
}

/**
 * Bundles the store into the folder; the returned function starts it there, repeatedly on the same data, with options
 * for Node.
 */
export async function storeProcesses(
  folder: string,
  nodeOptions: readonly string[] = [],
): Promise<() => Promise<StoreProcess>> {
  const bundle = join(folder, 'main.js');
  await build({
    entryPoints: [join(__dirname, '../main.ts')],
    bundle: true,
    platform: 'node',
    packages: 'external',
    outfile: bundle,
  });
  return async () => {
    const child = spawn(process.execPath, [...nodeOptions, bundle, '--port', '0', '--data', join(folder, 'data')], {
      env: { ...process.env, NODE_PATH: packages() },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const url = await new Promise<string>((resolve, reject) => {
      let output = '';
      child.stdout.on('data', (chunk: Buffer) => {
        output += chunk.toString();
        const match = /^ready (\S+)\n/.exec(output);
        if (match) resolve(match[1] as string);
      });
      child.once('exit', (code) => reject(new Error(`the store ended with ${String(code)} before it served`)));
    });
    return { child, url };
  };
}
