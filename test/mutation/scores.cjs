// What the mutation tool's report says about the tests of a folder.

/** The folders whose survivors each need a reason: where money, access and promises are decided. */
const core = [
  'services/operator/src/operations/domain',
  'services/operator/src/operations/workflows',
  'services/operator/src/checkout/workflows',
  'services/operator/src/access',
  'services/operator/src/mirror',
  'services/operator/src/migrations/domain',
  'services/operator/src/migrations/workflows',
  'services/operator/src/provider-events',
  'services/provisioning/src/domain',
  'services/provisioning/src/workflows',
  'services/lifecycle-delivery/src/domain',
  'services/lifecycle-delivery/src/workflows',
  'services/billing-webhook/src/domain',
  'services/billing-webhook/src/workflows',
  'libs/durable/src/record',
  'libs/durable/src/executors',
  'libs/payment-provider/src/stripe',
];

/** The project of a folder: its tests judge the changes. */
const projectOf = (subject) =>
  /^(services\/[^/]+|libs\/(?:contracts\/|interfaces\/)?[^/]+)/.exec(subject)?.[0] ?? subject;

const spaced = (text) => text.replaceAll(/\s+/g, ' ').trim();

/** The text between two positions, whose lines and columns begin at 1. */
function textAt(source, { start, end }) {
  const lines = source.split('\n').slice(start.line - 1, end.line);
  const last = lines.length - 1;
  lines[last] = lines[last].slice(0, end.column - 1);
  lines[0] = lines[0].slice(start.column - 1);
  return spaced(lines.join('\n'));
}

/**
 * Finds the reason of a survivor, which is recognised by file, original and replacement, so lines may move. An entry
 * explains as many survivors as it has `places`, one by default: a further place with the same text needs its own thought.
 */
function reasonsIn(known) {
  const left = new Map(known.map((entry) => [entry, entry.places ?? 1]));
  return ({ file, original, replacement }) => {
    const entry = known.find(
      (each) =>
        each.file === file && each.original === original && each.replacement === replacement && left.get(each) > 0,
    );
    if (entry) left.set(entry, left.get(entry) - 1);
    return entry?.reason;
  };
}

/**
 * The changes that no test noticed, in the order of their places, each with its reason when `reasonOf` finds one.
 */
function survivorsOf({ files }, reasonOf) {
  return Object.entries(files).flatMap(([file, { source, mutants }]) =>
    mutants
      .filter(({ status }) => status === 'Survived' || status === 'NoCoverage')
      .map(({ status, location, replacement = '', mutatorName }) => {
        const found = {
          file,
          line: location.start.line,
          mutator: mutatorName,
          original: textAt(source, location),
          replacement: spaced(replacement),
          status,
        };
        const reason = reasonOf(found);
        return { ...found, ...(reason !== undefined && { reason }) };
      })
      .sort((a, b) => a.line - b.line),
  );
}

/** A survivor as a line of the output. */
const lineOf = ({ status, file, line, original, replacement }) =>
  `${status === 'NoCoverage' ? 'not reached' : 'survived'}  ${file}:${line}  ${original}  →  ${replacement}`;

/** How many changes of a folder were noticed. A change that ends in an endless loop or cannot be compiled is noticed. */
function scoreOf(subject, { files }, survivors, commit) {
  const count = {};
  for (const { mutants } of Object.values(files))
    for (const { status } of mutants) count[status] = (count[status] ?? 0) + 1;
  const { Killed = 0, Timeout = 0, RuntimeError = 0, CompileError = 0, Ignored = 0 } = count;
  const noticed = Killed + Timeout;
  const explained = survivors.filter(({ reason }) => reason !== undefined).length;
  return {
    subject,
    judged: noticed + survivors.length,
    noticed,
    explained,
    open: survivors.length - explained,
    notJudged: Ignored + RuntimeError + CompileError,
    commit,
  };
}

const percent = (part, whole) => (whole === 0 ? '–' : `${((100 * part) / whole).toFixed(1)} %`);

const head = ['folder', 'changes', 'noticed', 'with a reason', 'survivors', 'not judged', 'score', 'commit'];

const rowOf = ({ subject, judged, noticed, explained, open, notJudged, commit }) => {
  const score = percent(noticed + explained, judged);
  return `| ${[`\`${subject}\``, judged, noticed, explained, open, notJudged, score, commit].join(' | ')} |`;
};

/**
 * The table of these scores, in order of their folders, with the rows of `before` for folders that were not judged now.
 * A folder without a judged change has no score.
 */
function tableOf(scores, before = '') {
  const judged = new Set(scores.map(({ subject }) => subject));
  const kept = before.split('\n').filter((line) => {
    const subject = /^\| `([^`]+)`/.exec(line)?.[1];
    return subject !== undefined && !judged.has(subject);
  });
  const rows = [...kept, ...scores.map(rowOf)].sort();
  return [`| ${head.join(' | ')} |`, `|---|${'---:|'.repeat(head.length - 2)}---|`, ...rows].join('\n');
}

module.exports = { core, lineOf, projectOf, reasonsIn, scoreOf, survivorsOf, tableOf };
