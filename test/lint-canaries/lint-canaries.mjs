// Lints code that breaks one rule each, under the path where it would be, and prints the expected rules and the rules
// that fired. It runs as a separate process, because ESLint's configuration is an ES module and the boundary rule needs
// the project graph first. oxlint runs the rules that need types, on files in a separate folder.
import { createProjectGraphAsync } from '@nx/devkit';
import { ESLint } from 'eslint';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { canaries } from './canaries.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const needsTypes = ({ rule }) => rule.startsWith('typescript/');

async function lintWithEslint(chosen) {
  await createProjectGraphAsync({ exitOnError: false });
  const eslint = new ESLint({ cwd: root });
  const found = [];
  for (const { name, rule, filePath, code } of chosen) {
    const [result] = await eslint.lintText(code, { filePath });
    const rules = result.messages.map(({ ruleId, message }) => ruleId ?? `none: ${message}`);
    found.push({ name, expected: rule, rules: [...new Set(rules)] });
  }
  return found;
}

/** The rules of the repository without its ignored folders, because these files are in one of them. */
function writeConfiguration(folder) {
  const { ignorePatterns: _, ...rules } = JSON.parse(readFileSync(join(root, '.oxlintrc.json'), 'utf8'));
  writeFileSync(join(folder, '.oxlintrc.json'), JSON.stringify(rules));
  const compilerOptions = { strict: true, jsx: 'preserve', types: [], lib: ['es2023'], skipLibCheck: true };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts', '*.tsx'] }));
}

function lintWithOxlint(chosen) {
  mkdirSync(join(root, '.local'), { recursive: true });
  const folder = mkdtempSync(join(root, '.local', 'canaries-'));
  try {
    writeConfiguration(folder);
    const names = chosen.map(({ filePath }, at) => `canary-${at}${extname(filePath)}`);
    names.forEach((name, at) => writeFileSync(join(folder, name), chosen[at].code));
    const args = ['--type-aware', '--no-ignore', '-c', '.oxlintrc.json', '--format', 'json', ...names];
    const { stdout } = spawnSync(process.execPath, [join(root, 'node_modules/oxlint/bin/oxlint'), ...args], {
      cwd: folder,
      encoding: 'utf8',
      env: { ...process.env, PATH: `${join(root, 'node_modules/.bin')}:${process.env.PATH}` },
    });
    const { diagnostics } = JSON.parse(stdout);
    return chosen.map(({ name, rule }, at) => {
      const own = diagnostics.filter(({ filename }) => filename?.endsWith(names[at]));
      return {
        name,
        expected: rule,
        rules: own.map(({ code }) => code.replace(/^typescript\((.+)\)$/, 'typescript/$1')),
      };
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const typed = lintWithOxlint(canaries.filter(needsTypes));
const plain = await lintWithEslint(canaries.filter((canary) => !needsTypes(canary)));
process.stdout.write(`${JSON.stringify([...plain, ...typed])}\n`);
