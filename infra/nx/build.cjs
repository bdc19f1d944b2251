// Bundles the programs of the selected projects with the one bundler of the repository, which skips what is up to date.
const { executorOf, resultsOf } = require('./run-by-project.cjs');

const { single, batch } = executorOf(async (selected, root, allProjects) => {
  const { build, entriesOf } = await import('../build.mjs');
  const only = selected.flatMap((project) => entriesOf(project.root));
  const { built, unchanged, failed } = await build({ only });
  const results = resultsOf(
    selected,
    allProjects,
    failed.map(({ entry, message }) => ({ file: entry, line: `${entry}\n${message}` })),
  );
  for (const project of selected) {
    const result = results.get(project.name);
    const own = new Set(entriesOf(project.root));
    const count = (entries) => entries.filter((entry) => own.has(entry)).length;
    if (result.success) result.terminalOutput = `${count(built)} bundles built, ${count(unchanged)} unchanged`;
  }
  return results;
});

module.exports = { default: single, batch };
