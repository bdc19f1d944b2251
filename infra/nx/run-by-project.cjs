// One run of a tool serves all projects of a batch, so the compiler, a linter or the embedded servers are loaded only
// once. Nx still caches, reports and repeats by project, because each finding belongs to one project.
const { spawn } = require('node:child_process');
const { mkdirSync, rmSync, writeFileSync } = require('node:fs');
const { dirname, join } = require('node:path');

/** @typedef {{ taskId: string, name: string, target: string, root: string, args: readonly string[] }} Selected */
/** @typedef {{ success: boolean, terminalOutput: string }} Result */

/** Where a failed task leaves its mark for the closing line of `npm test`; a passing or cached task has none. */
const failureFile = (root, { name, target }) => join(root, '.local', 'failed-tasks', `${target}-${name}`);

/**
 * The two functions that Nx calls, made from one that takes all selected projects.
 * @param {(selected: readonly Selected[], root: string, allProjects: readonly { name: string, root: string }[]) =>
 * Promise<Map<string, Result>>} run
 * resolves with the result of each project by its name
 */
function executorOf(run) {
  const runAll = async (selected, context) => {
    const all = Object.entries(context.projectsConfigurations.projects).map(([name, { root }]) => ({ name, root }));
    const results = await run(selected, context.root, all);
    for (const each of selected) {
      const result = results.get(each.name);
      recordOutcome(context.root, each, result);
      // Nx shows the output of a batch, not its results.
      if (!result.success) console.error(`${each.name}:${each.target}\n${result.terminalOutput}\n`);
    }
    return results;
  };
  const single = async (options, context) => {
    const name = context.projectName;
    const { root } = context.projectsConfigurations.projects[name];
    const selected = [{ taskId: name, name, target: context.targetName, root, args: options.args ?? [] }];
    const { success } = (await runAll(selected, context)).get(name);
    return { success };
  };
  const batch = async (taskGraph, inputs, _overrides, context) => {
    const selected = Object.values(taskGraph.tasks).map(({ id, target, projectRoot }) => ({
      taskId: id,
      name: target.project,
      target: target.target,
      root: projectRoot ?? context.projectsConfigurations.projects[target.project].root,
      args: inputs[id]?.args ?? [],
    }));
    const results = await runAll(selected, context);
    return Object.fromEntries(selected.map(({ taskId, name }) => [taskId, results.get(name)]));
  };
  return { single, batch };
}

function recordOutcome(root, selected, { success }) {
  const file = failureFile(root, selected);
  rmSync(file, { force: true });
  if (success) return;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, '');
}

/** The project that owns a file: the one with the longest root above it. Paths are relative to the repository. */
function ownerOf(file, projects) {
  const above = projects.filter(({ root }) => root === '.' || file === root || file.startsWith(`${root}/`));
  return above.sort((one, other) => other.root.length - one.root.length)[0]?.name;
}

/**
 * Runs a Node program to its end and collects what it prints.
 * @returns {Promise<{ code: number | null, stdout: string, stderr: string }>}
 */
function runTool(root, file, args, { show = false, env = process.env } = {}) {
  return new Promise((fulfil) => {
    const child = spawn(file, args, {
      cwd: root,
      env,
      stdio: ['ignore', show ? 'inherit' : 'pipe', show ? 'inherit' : 'pipe'],
    });
    const printed = { stdout: '', stderr: '' };
    child.stdout?.on('data', (chunk) => (printed.stdout += chunk));
    child.stderr?.on('data', (chunk) => (printed.stderr += chunk));
    child.once('error', (error) => fulfil({ ...printed, stderr: error.message, code: null }));
    child.once('close', (code) => fulfil({ ...printed, code }));
  });
}

/**
 * Results by project from findings that name a file. A finding that names none, or one in a project that was not
 * selected, fails every selected project: what they build on is broken, so none of them is proven.
 * @param {readonly { file: string | null, line: string }[]} findings
 */
function resultsOf(selected, allProjects, findings) {
  const lines = new Map(selected.map(({ name }) => [name, []]));
  for (const { file, line } of findings) {
    const owner = file === null ? undefined : ownerOf(file, allProjects);
    if (lines.has(owner)) lines.get(owner).push(line);
    else for (const own of lines.values()) own.push(line);
  }
  return new Map(
    selected.map(({ name }) => [
      name,
      { success: lines.get(name).length === 0, terminalOutput: lines.get(name).join('\n') },
    ]),
  );
}

module.exports = { executorOf, ownerOf, resultsOf, runTool };
