/** Many writers in one of several processes: each adds, changes and removes its own queries. */
import { builtInTemplates } from '../domain/templates';
import { createTemplateRegistry } from '@platform/builder';
import { nodeFileSystem } from '../store/file-system';
import { openPageProject } from '../store/page-project';
import { createQueryBuilder } from '../workflows/create-query-builder';
import { mortalFileSystem } from './mortal-file-system';

interface Work {
  readonly folder: string;
  /** Distinguishes the names of this process. */
  readonly mark: string;
  readonly writers: number;
  readonly rounds: number;
  readonly pages: readonly string[];
  /** Ends the process by SIGKILL at this call to the file system. */
  readonly killAt?: number;
}

async function main(): Promise<void> {
  const { folder, mark, writers, rounds, pages, killAt } = JSON.parse(process.argv[2]!) as Work;
  const templates = createTemplateRegistry();
  for (const template of builtInTemplates) templates.register(template);
  const fs =
    killAt === undefined
      ? nodeFileSystem
      : mortalFileSystem(killAt, 'before', () => void process.kill(process.pid, 'SIGKILL')).fs;
  const builder = createQueryBuilder(await openPageProject(folder, { timeoutMs: 120_000, fs }), templates);
  const must = async (work: Promise<{ readonly ok: boolean }>): Promise<void> => {
    const result = await work;
    if (!result.ok) throw new Error(JSON.stringify(result));
  };
  const write = async (writer: number): Promise<void> => {
    for (let round = 0; round < rounds; round += 1) {
      const page = pages[(writer + round) % pages.length]!;
      const name = `${mark}w${writer}r${round}`;
      await must(
        builder.addQuery(page, { name, resource: writer % 2 === 0 ? 'orders' : 'customers', template: 'count' }),
      );
      await must(
        builder.configureQuery(`${page}@${name}`, {
          params: {
            where: [
              writer % 2 === 0
                ? { field: 'total', op: 'gt', value: round }
                : { field: 'lifetimeValue', op: 'gt', value: round },
            ],
          },
        }),
      );
      if (round > 0)
        await must(
          builder.removeQuery(`${pages[(writer + round - 1) % pages.length]!}@${mark}w${writer}r${round - 1}`),
        );
    }
  };
  await Promise.all(Array.from({ length: writers }, (_unused, writer) => write(writer)));
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  process.exitCode = 1;
});
