/**
 * Whether a page project compiles, as an editor would report it. Files outside of the project are parsed once for all
 * calls, and are checked with the repository.
 */
import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ts } from '../domain/source/parse';

const root = resolve(__dirname, '../../../..');
const options: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2023,
  lib: ['lib.es2023.d.ts'],
  module: ts.ModuleKind.Node16,
  moduleResolution: ts.ModuleResolutionKind.Node16,
  strict: true,
  noUncheckedIndexedAccess: true,
  noUnusedLocals: true,
  experimentalDecorators: true,
  skipLibCheck: true,
  noEmit: true,
  types: [],
  paths: { '@platform/page-runtime': [join(root, 'libs/page-runtime/src/index.ts')] },
};
const outside = new Map<string, ts.SourceFile | undefined>();

/** The compiler's errors about the project, each with its file. */
export function complaintsAbout(folder: string): string[] {
  const host = ts.createCompilerHost(options);
  const read = host.getSourceFile.bind(host);
  host.getDefaultLibLocation = () => join(root, 'node_modules/typescript/lib');
  host.getDefaultLibFileName = () => join(root, 'node_modules/typescript/lib/lib.es2023.d.ts');
  host.getSourceFile = (file, ...rest) => {
    if (file.startsWith(folder)) return read(file, ...rest);
    if (!outside.has(file)) outside.set(file, read(file, ...rest));
    return outside.get(file);
  };
  const program = ts.createProgram(sourcesBelow(folder), options, host);
  const own = program.getSourceFiles().filter(({ fileName }) => fileName.startsWith(folder));
  return [
    ...program.getConfigFileParsingDiagnostics(),
    ...program.getOptionsDiagnostics(),
    ...program.getGlobalDiagnostics(),
    ...own.flatMap((file) => [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)]),
  ].map(
    ({ file, messageText }) =>
      `${file?.fileName.slice(folder.length) ?? ''}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`,
  );
}

function sourcesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.name.startsWith('.')) return [];
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return sourcesBelow(path);
    return entry.name.endsWith('.ts') ? [path] : [];
  });
}
