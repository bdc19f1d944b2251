/** The alerts and the dashboard in the repository, and the names of the metrics that they use. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

interface Rules {
  readonly groups: readonly {
    readonly rules: readonly {
      readonly alert: string;
      readonly expr: string;
      readonly labels: { readonly severity: string };
      readonly annotations: { readonly summary: string; readonly action: string };
    }[];
  }[];
}
interface Dashboard {
  readonly panels: readonly {
    readonly id: number;
    readonly title: string;
    readonly targets: readonly { readonly expr: string }[];
  }[];
}
const folder = join(__dirname, '../../../infra/monitoring');
export const rules = (parse(readFileSync(join(folder, 'alerts.yaml'), 'utf8')) as Rules).groups.flatMap(
  (group) => group.rules,
);
export const { panels } = JSON.parse(readFileSync(join(folder, 'dashboard.json'), 'utf8')) as Dashboard;

/** Names of metrics in an expression: words that are neither functions, labels, label values nor keywords. */
export const metricsIn = (expr: string): string[] =>
  [
    ...expr
      .replace(/\{[^}]*\}|"[^"]*"|\[\w+\]/g, ' ')
      .replace(/\bby \([^)]*\)/g, ' ')
      .matchAll(/\b[a-z][a-z0-9_]*\b(?!\s*\()/g),
  ]
    .map(([name]) => name)
    .filter((name) => name.includes('_'));
