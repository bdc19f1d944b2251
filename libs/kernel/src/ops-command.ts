/**
 * How a person runs the off-line commands. Texts contain the command of a development machine; where they leave the
 * process (cases, alerts), it is replaced by the one that works in this deployment.
 */
export const developmentOpsCommand = 'npm run ops --';

/** The line of an off-line command. */
export function opsLine(words: string): string {
  return `${developmentOpsCommand} ${words}`;
}

/** `text` with the command of this deployment (`OPS_COMMAND`). */
export function inDeployment(text: string, opsCommand: string): string {
  return opsCommand === developmentOpsCommand ? text : text.replaceAll(developmentOpsCommand, opsCommand);
}
