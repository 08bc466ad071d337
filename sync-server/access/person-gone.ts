/** Somebody acts who has no account any more: what they ask for is not done, as for anybody who is signed out. */
export class PersonGone extends Error {
  override name = 'PersonGone'
  readonly status = 401

  constructor() {
    super('Please sign in again.')
  }
}
