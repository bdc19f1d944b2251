/** A request to the control plane that cannot be carried out; answered as `{error: {message}}` with its status. */

export class ControlRefusal extends Error {
  constructor(
    readonly statusCode: number,
    message: string,
  ) {
    super(message);
    this.name = 'ControlRefusal';
  }
}
