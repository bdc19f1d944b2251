/** Every alert names a kind that the work queue knows; otherwise the stop would not appear in the console. */
import ts from 'typescript';
import { workKinds } from '../../libs/contracts/operator/src/work-queue-view';
import { files, text } from './tree';

/** Kinds by the places that create an alert; a kind that is not a literal would be null and is refused. */
function alertKinds(): { readonly file: string; readonly kind: string | null }[] {
  const sources = files().filter(
    (file) =>
      /^(services|libs)\/.+\/src\/.+\.ts$/.test(file) &&
      !/\.(spec|features)\.ts$|\/testing(\/|\.ts$)|^libs\/kernel\/|^libs\/durable\/src\/(effects\/runner|executors\/announce-interrupted|boot\/open-work)\.ts$/.test(
        file,
      ) &&
      /alertEntry\(|alertTurn|: RunningWork\b/.test(text(file)),
  );
  return sources.flatMap((file) => {
    const found: { file: string; kind: string | null }[] = [];
    const look = (node: ts.Node): void => {
      if (ts.isCallExpression(node) && node.expression.getText() === 'alertEntry')
        found.push({ file, kind: kindIn(node.arguments[0]) });
      // The effect runner creates the alerts of records; their journal names the kind.
      if (ts.isObjectLiteralExpression(node) && propertyOf(node, 'alertTurn')) found.push({ file, kind: kindIn(node) });
      // Running work names the record of its alert; libs/durable sends the alert when its executor does not answer.
      if (ts.isObjectLiteralExpression(node) && propertyOf(node, 'run') && !ts.isCallExpression(node.parent))
        found.push({ file, kind: kindIn(node) });
      node.forEachChild(look);
    };
    look(ts.createSourceFile(file, text(file), ts.ScriptTarget.Latest, true));
    return found;
  });
}

function kindIn(alert: ts.Expression | undefined): string | null {
  if (!alert || !ts.isObjectLiteralExpression(alert)) return null;
  const kind = propertyOf(alert, 'kind');
  return kind && ts.isStringLiteral(kind.initializer) ? kind.initializer.text : null;
}

function propertyOf(object: ts.ObjectLiteralExpression, name: string): ts.PropertyAssignment | undefined {
  return object.properties.find(
    (property): property is ts.PropertyAssignment =>
      ts.isPropertyAssignment(property) && property.name.getText() === name,
  );
}

describe('an alert', () => {
  const made = alertKinds();

  it('is made by every service that can stop', () => {
    expect(new Set(made.map(({ file }) => file.split('/')[1]))).toEqual(
      new Set(['billing-webhook', 'operator', 'provisioning']),
    );
  });

  it('is of a kind that the work queue lists', () => {
    expect(made.filter(({ kind }) => kind === null || !(workKinds as readonly string[]).includes(kind))).toEqual([]);
  });

  it('has no subject but the one that its entry makes', () => {
    const others = files().filter(
      (file) =>
        /^(services|libs)\/.+\/src\/.+\.ts$/.test(file) &&
        !/\.(spec|features)\.ts$|\/testing(\/|\.ts$)|^libs\/kernel\/src\/alert\.ts$/.test(file) &&
        /subject: [`']alert\./.test(text(file)),
    );
    expect(others).toEqual([]);
  });
});
