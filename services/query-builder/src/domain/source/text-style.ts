/** The style of a file: its indent, line ends and quotes, so that added code looks like the rest. */
import type { Quote } from './literal';
import { ts } from './parse';

export interface TextStyle {
  /** One step of indentation. */
  readonly unit: string;
  readonly eol: '\n' | '\r\n';
  readonly quote: Quote;
  /** What precedes a member of the class. */
  readonly memberIndent: string;
}

export function readStyle(file: ts.SourceFile, owner: ts.ClassDeclaration): TextStyle {
  const { text } = file;
  const ownerIndent = indentAt(text, owner.getStart(file));
  const memberIndent = lastIndent(owner.members, file);
  const fromMember = memberIndent?.startsWith(ownerIndent) ? memberIndent.slice(ownerIndent.length) : '';
  const unit = fromMember || (/^[\t ]+(?=\S)/m.exec(text)?.[0].startsWith('\t') ? '\t' : '  ');
  return { unit, eol: eolOf(text), quote: quoteOf(file), memberIndent: memberIndent ?? `${ownerIndent}${unit}` };
}

function lastIndent(members: ts.NodeArray<ts.ClassElement>, file: ts.SourceFile): string | undefined {
  for (let at = members.length - 1; at >= 0; at -= 1) {
    const indent = ownLineIndent(file.text, members[at]!.getStart(file));
    if (indent !== undefined) return indent;
  }
  return undefined;
}

function eolOf(text: string): '\n' | '\r\n' {
  const all = text.split('\n').length - 1;
  return all > 0 && (text.match(/\r\n/g)?.length ?? 0) * 2 > all ? '\r\n' : '\n';
}

function quoteOf(file: ts.SourceFile): Quote {
  const modules = file.statements
    .filter(ts.isImportDeclaration)
    .map(({ moduleSpecifier }) => moduleSpecifier.getText(file)[0]);
  return modules[0] === '"' ? '"' : "'";
}

function indentAt(text: string, position: number): string {
  const start = text.lastIndexOf('\n', position - 1) + 1;
  return /^[\t ]*/.exec(text.slice(start, position))![0];
}

function ownLineIndent(text: string, position: number): string | undefined {
  const start = text.lastIndexOf('\n', position - 1) + 1;
  const before = text.slice(start, position);
  return start > 0 && /^[\t ]*$/.test(before) ? before : undefined;
}
