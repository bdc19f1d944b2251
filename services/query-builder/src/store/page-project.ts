/**
 * The files of a page project. Every path is resolved through its links, and one outside the project is refused. A file
 * counts as text only when writing the text back gives the same bytes.
 */
import { basename, dirname, join, sep } from 'node:path';
import { isPageRef } from '@platform/base/page';
import { isResourceName } from '../domain/project';
import { SourceError } from '../domain/source/parse';
import { isAbsent, leadsToItself, nodeFileSystem, type FileSystem } from './file-system';
import { hasEnded, ownIdentity } from './process-identity';
import { createQueues } from './queues';
import { UnsupportedError } from './refusals';
import { removeLeftDrafts, replaceFile } from './replace-file';
import { createSourceScan, type SourceFile } from './source-scan';
import { claimWriting, type ClaimPorts } from './writer-claim';

export const maxSourceBytes = 4_000_000;
const claimsFolder = '.builder';

export interface PageProject {
  readonly root: string;
  /** The text of a file; undefined when it does not exist. Throws SourceError, UnsupportedError. */
  read(path: string): Promise<string | undefined>;
  /** Replaces an existing text; `before` undefined creates the file. Throws ConflictError, UnsupportedError. */
  write(path: string, before: string | undefined, text: string): Promise<void>;
  /** Runs the work as the only writer of these files, in this process and among all processes. Throws OccupiedError. */
  exclusively<Result>(paths: readonly string[], work: () => Promise<Result>): Promise<Result>;
  /** Sources that contain a word, or may spell or compute it, except those in `without`. */
  filesWith(word: string, without: readonly string[]): SourceFile[];
  listPages(): Promise<string[]>;
  listResources(): Promise<string[]>;
}

export interface ProjectOptions {
  readonly fs?: FileSystem;
  /** How long to wait for other writers of a file, in milliseconds. Default 10,000. */
  readonly timeoutMs?: number;
  /** The identity of this process and the check for ended ones; tests replace them. */
  readonly processes?: Pick<ClaimPorts, 'identity' | 'hasEnded'>;
}

/** Throws UnsupportedError when there is no such folder. */
export async function openPageProject(
  folder: string,
  { fs = nodeFileSystem, timeoutMs = 10_000, processes }: ProjectOptions = {},
): Promise<PageProject> {
  const root = await fs.realpath(folder).catch(() => undefined);
  if (root === undefined || !(await fs.stat(root)).isDirectory())
    throw new UnsupportedError(`the folder of the page project does not exist: ${folder}`);
  const claims: ClaimPorts = { fs, timeoutMs, ...(processes ?? { identity: ownIdentity(), hasEnded }) };
  const queues = createQueues();
  const scan = createSourceScan(root);
  const place = (path: string): Promise<string | undefined> => placeOf(fs, root, path);
  return {
    root,
    async read(path) {
      const real = await place(path);
      return real === undefined ? undefined : readText(fs, real, path);
    },
    async write(path, before, text) {
      const real = (await place(path)) ?? (await newPlaceOf(fs, root, path, place));
      await replaceFile(fs, { path: real, shown: path, before, text });
    },
    exclusively: (paths, work) =>
      queues.inLine(paths, () => asOnlyWriter(claims, root, [...new Set(paths)].sort(), place, work)),
    filesWith: (word, without) => scan.filesWith(word, without),
    listPages: async () =>
      (await foldersWith(fs, join(root, 'pages'), 'page.ts')).filter((each) => isPageRef(each)).sort(),
    listResources: async () =>
      (await foldersWith(fs, join(root, 'resources'), 'resource.ts'))
        .map((each) => each.slice(1))
        .filter((each) => isResourceName(each))
        .sort(),
  };
}

/**
 * The real path of a path in the project, with links resolved. Paths are built in `domain/project.ts`; the file system
 * resolves links.
 */
async function placeOf(fs: FileSystem, root: string, path: string): Promise<string | undefined> {
  try {
    const real = await fs.realpath(join(root, path));
    if (!real.startsWith(root + sep)) throw new UnsupportedError(`${path} leads out of the project`);
    return real;
  } catch (error) {
    if (isAbsent(error)) return undefined;
    if (leadsToItself(error)) throw new UnsupportedError(`${path} is a link that leads to itself`);
    throw error;
  }
}

async function newPlaceOf(
  fs: FileSystem,
  root: string,
  path: string,
  place: (path: string) => Promise<string | undefined>,
): Promise<string> {
  const folder = dirname(path);
  if ((await place(folder)) === undefined) await fs.mkdir(join(root, folder), { recursive: true });
  return join((await place(folder))!, basename(path));
}

async function readText(fs: FileSystem, real: string, path: string): Promise<string> {
  const stats = await fs.stat(real);
  if (!stats.isFile()) throw new UnsupportedError(`${path} is not a file`);
  if (stats.size > maxSourceBytes) throw new UnsupportedError(`${path} is larger than ${maxSourceBytes} bytes`);
  const bytes = await fs.readFile(real);
  const text = bytes.toString('utf8');
  if (!Buffer.from(text, 'utf8').equals(bytes)) throw new SourceError(path, 1, 'the file is not UTF-8 text');
  return text;
}

async function asOnlyWriter<Result>(
  claims: ClaimPorts,
  root: string,
  paths: readonly string[],
  place: (path: string) => Promise<string | undefined>,
  work: () => Promise<Result>,
): Promise<Result> {
  const folder = join(root, claimsFolder);
  await makeClaimsFolder(claims.fs, folder);
  const releases: (() => Promise<void>)[] = [];
  try {
    // The same order everywhere, so that two writers of several files never wait for each other.
    for (const path of paths) {
      releases.push(await claimWriting(claims, join(folder, `${path.replaceAll('/', '+')}.owner`)));
      const real = await place(path);
      if (real !== undefined) await removeLeftDrafts(claims.fs, real);
    }
    return await work();
  } finally {
    for (const release of releases.reverse()) await release();
  }
}

/** The folder has its own ignore file, so its content stays out of version control. */
async function makeClaimsFolder(fs: FileSystem, folder: string): Promise<void> {
  const made = await fs.mkdir(folder, { recursive: true });
  if (made === undefined) return;
  const handle = await fs.open(join(folder, '.gitignore'), 'w');
  try {
    await handle.writeFile('*\n', 'utf8');
  } finally {
    await handle.close();
  }
}

async function foldersWith(fs: FileSystem, base: string, file: string, path = ''): Promise<string[]> {
  const entries = await fs.readdir(join(base, path), { withFileTypes: true }).catch((error: unknown) => {
    if (isAbsent(error)) return [];
    throw error;
  });
  const here = path !== '' && entries.some((entry) => entry.name === file) ? [path] : [];
  const below = await Promise.all(
    entries
      .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.') && entry.name !== 'node_modules')
      .map((entry) => foldersWith(fs, base, file, `${path}/${entry.name}`)),
  );
  return [...here, ...below.flat()];
}
