/** A deleted account tries to act: refused, like anybody signed out. */
export class PersonGone extends Error {
  override name = 'PersonGone'
  readonly status = 401

  constructor() {
    super('Please sign in again.')
  }
}
