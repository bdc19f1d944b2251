// Lints code that breaks one rule each, under the path where it would stand, and prints which rule was expected and which fired. Run as a
// process of its own: ESLint's configuration is an ES module, and the boundary rule needs the project graph first.
import { createProjectGraphAsync } from '@nx/devkit';
import { ESLint } from 'eslint';
import { canaries } from './canaries.mjs';

process.env.NX_DAEMON = 'false';
process.env.NX_NO_CLOUD = 'true';
await createProjectGraphAsync({ exitOnError: false });

const eslint = new ESLint({ cwd: new URL('../../..', import.meta.url).pathname });
const found = [];
for (const { name, rule, filePath, code } of canaries) {
  const [result] = await eslint.lintText(code, { filePath });
  found.push({
    name,
    expected: rule,
    rules: [...new Set(result.messages.map(({ ruleId, message }) => ruleId ?? `none: ${message}`))],
  });
}
process.stdout.write(`${JSON.stringify(found)}\n`);
