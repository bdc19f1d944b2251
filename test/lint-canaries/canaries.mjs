// One piece of forbidden code per rule, under the path of an existing file (rules that use types need a file of the
// program).
const lines = (count, line) => Array.from({ length: count }, (_, at) => line(at)).join('\n');
const domain = 'services/operator/src/catalogue/domain/plan.ts';
const view = 'libs/operator-console/src/keys.tsx';
const preact = "import { useState } from 'preact/hooks';\n";

export const canaries = [
  {
    name: 'a platform library that imports another',
    rule: '@nx/enforce-module-boundaries',
    filePath: 'libs/outbox/src/relay.ts',
    code: "import { connectStore } from '@platform/mongo';\nexport const x = connectStore;\n",
  },
  {
    name: 'a kernel that imports anything of ours',
    rule: '@nx/enforce-module-boundaries',
    filePath: 'libs/kernel/src/clock.ts',
    code: "import { tenantIdSchema } from '@platform/contracts-operator';\nexport const x = tenantIdSchema;\n",
  },
  {
    name: 'a contract that imports a platform library',
    rule: '@nx/enforce-module-boundaries',
    filePath: 'libs/contracts/operator/src/codes.ts',
    code: "import { defineRoute } from '@platform/http-server';\nexport const x = defineRoute;\n",
  },
  {
    name: 'a service that knows the service to its left',
    rule: '@nx/enforce-module-boundaries',
    filePath: 'services/lifecycle-delivery/src/compose.ts',
    code: "import { operatorCodes } from '@platform/contracts-operator';\nexport const x = operatorCodes;\n",
  },
  {
    name: 'shipped code that leans on a stand-in',
    rule: '@nx/enforce-module-boundaries',
    filePath: 'services/operator/src/compose.ts',
    code: "import { startDocumentStore } from '@platform/embedded-mongo';\nexport const x = startDocumentStore;\n",
  },
  {
    name: 'an import into another project by path',
    rule: '@nx/enforce-module-boundaries',
    filePath: 'services/operator/src/compose.ts',
    code: "import { ok } from '../../../libs/kernel/src/result';\nexport const x = ok;\n",
  },
  {
    name: 'the driver in a suite of a service',
    rule: 'no-restricted-imports',
    filePath: 'services/operator/src/operations/store/operations.int.spec.ts',
    code: "import * as sdk from 'mongodb';\nexport const x = sdk;\n",
  },
  ...[
    'mongodb',
    'dataloader',
    '@nats-io/jetstream',
    'stripe',
    'pino',
    '@opentelemetry/api',
    'ts-morph',
    'fastify',
    'standardwebhooks',
    'ipaddr.js',
  ].map((sdk) => ({
    name: `${sdk} outside its one place`,
    rule: 'no-restricted-imports',
    filePath: 'services/operator/src/compose.ts',
    code: `import * as sdk from '${sdk}';\nexport const x = sdk;\n`,
  })),
  {
    name: 'a domain that sees the store layer',
    rule: 'no-restricted-imports',
    filePath: domain,
    code: "import { plansCollection } from '../store/plans';\nexport const x = plansCollection;\n",
  },
  {
    name: 'a domain with a platform library',
    rule: 'no-restricted-imports',
    filePath: domain,
    code: "import type { Store } from '@platform/mongo';\nexport type X = Store;\n",
  },
  {
    name: 'a domain that could call the payment provider',
    rule: 'no-restricted-imports',
    filePath: domain,
    code: "import type { PaymentProvider } from '@platform/payment-provider';\nexport type X = PaymentProvider;\n",
  },
  {
    name: 'a store that sees workflows',
    rule: 'no-restricted-imports',
    filePath: 'services/operator/src/catalogue/store/plans.ts',
    code: "import { runOperation } from '../workflows/run-operation';\nexport const x = runOperation;\n",
  },
  {
    name: 'a workflow that sees HTTP',
    rule: 'no-restricted-imports',
    filePath: 'services/operator/src/operations/workflows/ports.ts',
    code: "import { operationView } from '../http/operation-view';\nexport const x = operationView;\n",
  },
  {
    name: 'HTTP that sees the store layer',
    rule: 'no-restricted-imports',
    filePath: 'services/operator/src/operations/http/request-parts.ts',
    code: "import { plansCollection } from '../store/plans';\nexport const x = plansCollection;\n",
  },
  {
    name: 'a layer that sees a part of the composition root',
    rule: 'no-restricted-imports',
    filePath: 'services/operator/src/operations/workflows/ports.ts',
    code: "import { createServer } from '../compose-server';\nexport const x = createServer;\n",
  },
  {
    name: 'a layer that sees the composition root',
    rule: 'no-restricted-imports',
    filePath: 'services/operator/src/operations/workflows/ports.ts',
    code: "import { composeOperator } from '../compose';\nexport const x = composeOperator;\n",
  },
  {
    name: 'a domain that waits',
    rule: 'no-restricted-syntax',
    filePath: domain,
    code: 'export async function f(p: Promise<number>) {\n  return (await p) + 1;\n}\n',
  },
  {
    name: 'a domain that reads the clock',
    rule: 'no-restricted-syntax',
    filePath: domain,
    code: 'export const now = () => new Date();\n',
  },
  {
    name: 'a promise that is not awaited',
    rule: 'typescript/no-floating-promises',
    filePath: domain,
    code: 'export function f(p: () => Promise<void>) {\n  p();\n}\n',
  },
  {
    name: 'an assignment around a wait',
    rule: 'no-restricted-syntax',
    filePath: 'services/operator/src/operations/workflows/ports.ts',
    code: 'export async function f(p: Promise<string | null>) {\n  let x: string | null = null;\n  x ??= await p;\n  return x;\n}\n',
  },
  {
    name: 'a suite that is held up',
    rule: 'no-restricted-syntax',
    filePath: 'test/acceptance/operations/an-investigation-ends.e2e.spec.ts',
    code: "import { spawnSync } from 'node:child_process';\nexport const f = () => spawnSync('true').status;\n",
  },
  {
    name: 'an any',
    rule: '@typescript-eslint/no-explicit-any',
    filePath: domain,
    code: 'export const f = (x: any) => String(x);\n',
  },
  {
    name: 'a switch that forgets a member',
    rule: 'typescript/switch-exhaustiveness-check',
    filePath: domain,
    code: "export function f(x: 'a' | 'b') {\n  switch (x) {\n    case 'a':\n      return 1;\n  }\n  return 2;\n}\n",
  },
  {
    name: 'a promise that is taken for a condition',
    rule: 'typescript/no-misused-promises',
    filePath: domain,
    code: 'export function f(p: Promise<boolean>) {\n  return p ? 1 : 2;\n}\n',
  },
  {
    name: 'a suppressed type error',
    rule: '@typescript-eslint/ban-ts-comment',
    filePath: domain,
    code: '// @ts-ignore\nexport const x: number = 1;\n',
  },
  {
    name: 'a line to the console',
    rule: 'no-console',
    filePath: domain,
    code: "export const f = () => console.log('x');\n",
  },
  {
    name: 'a file over 300 lines',
    rule: 'max-lines',
    filePath: domain,
    code: `${lines(301, (at) => `export const x${at} = ${at};`)}\n`,
  },
  {
    name: 'a function over 60 lines',
    rule: 'max-lines-per-function',
    filePath: domain,
    code: `export function f(x: number) {\n${lines(61, () => '  x += 1;')}\n  return x;\n}\n`,
  },
  {
    name: 'a promise that is not awaited in a view',
    rule: 'typescript/no-floating-promises',
    filePath: view,
    code: 'export function View({ save }: { save: () => Promise<void> }) {\n  save();\n  return <p>saved</p>;\n}\n',
  },
  {
    name: 'a view that imports another project by path',
    rule: '@nx/enforce-module-boundaries',
    filePath: view,
    code: "import { ok } from '../../kernel/src/result';\nexport const View = () => <p>{String(ok)}</p>;\n",
  },
  {
    name: 'a hook under a condition',
    rule: 'no-restricted-syntax',
    filePath: view,
    code: `${preact}export function View({ x }: { x: boolean }) {\n  const [y] = x ? useState(1) : [2];\n  return <p>{y}</p>;\n}\n`,
  },
  {
    name: 'a hook behind a return',
    rule: 'no-restricted-syntax',
    filePath: view,
    code: `${preact}export function View({ x }: { x: boolean }) {\n  if (x) return null;\n  const [y] = useState(1);\n  return <p>{y}</p>;\n}\n`,
  },
  {
    name: 'markup that is not ours',
    rule: 'no-restricted-syntax',
    filePath: view,
    code: 'export const View = ({ html }: { html: string }) => <p dangerouslySetInnerHTML={{ __html: html }} />;\n',
  },
];
