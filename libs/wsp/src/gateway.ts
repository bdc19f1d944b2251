/** Access to the gateway: its address, the token, and the exit codes for its refusals. */
import { readFileSync } from 'node:fs';
import { exitCodes, Misuse } from '@platform/command-line';
import {
  createGatewayClient,
  type Gateway,
  type GatewayAnswer,
  type GatewayOperations,
} from '@platform/workspace-platform/gateway';
import command from './wsp.command.cjs';

export type { Gateway };

/** The gateway refused or did not answer; `code` is the exit code. */
export class Unanswered extends Error {
  constructor(
    message: string,
    readonly code: number,
  ) {
    super(message);
  }
}

interface Address {
  readonly url?: string | undefined;
  readonly 'token-file'?: string | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Sends nothing yet. Throws `Misuse` when gateway or token are not given. */
export function openGateway(address: Address, environment: Environment, send = fetch): Gateway {
  const url = address.url ?? environment['WSP_URL'];
  if (!url || !/^https?:/.test(url) || !URL.canParse(url))
    throw new Misuse('the gateway is named by --url or WSP_URL, as http://… or https://…');
  const token = tokenOf(address['token-file'] ?? environment['WSP_TOKEN_FILE'], environment['WSP_TOKEN']);
  const ask = createGatewayClient({ url, token: () => token, fetch: send });
  return async (name, input, signal) => {
    try {
      return await ask(name, input, signal);
    } catch (error) {
      throw new Unanswered(
        `${url} does not answer (${reasonOf(error)}). Does the gateway run there? --url or WSP_URL names it.`,
        exitCodes.failed,
      );
    }
  };
}

/** A header takes nothing else; the error of the header would print the token. */
const tokenText = /^[\w.~+/=-]+$/;

function tokenOf(file: string | undefined, value: string | undefined): string {
  const token = file === undefined ? value : readToken(file);
  if (file === undefined && !token) throw new Misuse('a token is needed: --token-file, WSP_TOKEN_FILE or WSP_TOKEN');
  if (!token || !tokenText.test(token))
    throw new Misuse('the token is one line of letters, digits and . _ ~ + / = -, and what was given is none');
  return token;
}

function readToken(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw new Misuse(`the token cannot be read: ${reasonOf(error)}`);
  }
}

/** The innermost cause names the failure; the outer errors of `fetch` do not. */
function reasonOf(error: unknown): string {
  const { cause } = error as { readonly cause?: unknown };
  if (cause instanceof Error) return reasonOf(cause);
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
  return error instanceof Error ? error.message : String(error);
}

type Body<Name extends keyof GatewayOperations> = GatewayOperations[Name]['answer']['body'];

/**
 * The body of an answer. Throws {@link Unanswered} for a refusal: 3 when there is no such record, 2 when the gateway
 * found the request invalid, otherwise 1.
 */
export function answerOf<Name extends keyof GatewayOperations>(answer: GatewayAnswer<Name>): Body<Name> {
  if (answer.ok) return answer.body as Body<Name>;
  const { code, detail, errors } = answer.problem;
  const where = (errors ?? [])
    .map(({ pointer, message }) => ` ${typedAs(pointer)} ${message.replace(/\.?$/, '.')}`)
    .join('');
  const exit: Readonly<Record<number, number>> = { 400: exitCodes.misused, 404: exitCodes.negative };
  throw new Unanswered(`${detail}${where} (${code})`, exit[answer.status] ?? exitCodes.failed);
}

/** What a person has typed for a member of the request, where no option has its name. */
const typed: Readonly<Record<string, string>> = {
  '/query/tenantId': '--workspace',
  '/query/query': 'the text',
  '/query/q': 'the id',
  '/query/id': 'the id',
  '/path/tenantId': 'the id of the workspace',
  '/path/consumer': 'the name',
  '/endpoint/url': '--endpoint',
};

/** The option or the word that a pointer into the request names; of a list, whichever item it is. */
function typedAs(pointer: string): string {
  const known = typed[pointer];
  if (known !== undefined) return known;
  const name = pointer.replace(/^\/(query|path|endpoint)(?=\/)/, '').replace(/\/\d+$/, '');
  const option = name.slice(1).replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return Object.hasOwn(command.options, option) ? `--${option}` : pointer;
}
